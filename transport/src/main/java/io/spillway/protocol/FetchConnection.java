// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import java.util.List;
import java.util.concurrent.Executor;

/** The client's side of a proved connection, which one thread works on. */
public interface FetchConnection {
    /** The node; any thread. */
    NodeAddress address();

    /** The node's incarnation; any thread. */
    long epoch();

    /** The other ways in which the node can be fetched from; any thread. */
    List<TransportOffer> offers();

    /** The version of the protocol that both sides speak on it; any thread. */
    int version();

    /** The most bytes of a put or of a part of a commit's table that the node takes; any thread. */
    int maxPutBytes();

    /** Whether it is not lost; any thread. */
    boolean isOpen();

    /** Runs tasks on the connection's thread, in their order; rejects them when that has ended. */
    Executor executor();

    /** Takes a fetch, which {@link #flush} sends; the connection's thread. */
    void add(PendingFetch fetch);

    /** Takes a put, commit or abort, which {@link #flush} sends; the connection's thread. */
    void add(PendingWrite write);

    /** Sends what there are credits for; the connection's thread. */
    void flush();

    /** Ends it; the connection's thread. Idempotent. */
    void close();

    /**
     * Ends it because work of its own failed, and fails every request that it holds with {@link
     * io.spillway.transport.FetchException.Reason#LOCAL}; the connection's thread. Idempotent.
     */
    void fail(Throwable cause);
}
