// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;

/** A store has no room for a spill, or for more of it. */
public final class StoreFullException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; the message names the store, its limit and what was asked for. */
    public StoreFullException(final String message) {
        super(message);
    }
}
