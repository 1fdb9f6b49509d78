// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import java.io.IOException;

/** The process at the other end of a control connection belongs to another user. */
public final class WrongUserException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; the message names both users. */
    public WrongUserException(final String message) {
        super(message);
    }
}
