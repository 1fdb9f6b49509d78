// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.FetchException;

/** A request of a client, on its way from any thread to the one of its connection. */
interface PendingRequest {
    /** Hands it to the connection, on the connection's thread. */
    void addTo(FetchConnection connection);

    /** Ends it; does nothing where it has ended. */
    void fail(FetchException cause);
}
