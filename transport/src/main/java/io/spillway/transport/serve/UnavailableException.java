// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import java.io.IOException;

/**
 * A transport cannot be served, for a reason outside this process. Where it was not asked for by
 * name, the others are served without it.
 */
public final class UnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; the message says what to change. */
    public UnavailableException(final String message) {
        super(message);
    }

    /** The same, for what another exception has shown. */
    public UnavailableException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
