// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.spillway.transport.FetchException;

/** The node speaks another version than that of the HELLO, which another HELLO may name. */
public final class OtherHelloException extends Exception {
    private static final long serialVersionUID = 1L;

    private final FetchException failure;

    OtherHelloException(final FetchException failure) {
        super(failure.getMessage(), failure);
        this.failure = failure;
    }

    /** What the connection fails with where no other HELLO is left to try. */
    FetchException failure() {
        return failure;
    }
}
