// SPDX-License-Identifier: Apache-2.0
package io.spillway.bootstrap;

import io.spillway.protocol.PendingWrite;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.wire.EndpointFrame;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A proved connection beside an {@link OtherPath} to the same node: brings the addresses of both
 * ends, and tells when the node is gone. Thread-safe.
 */
public interface ControlConnection extends AutoCloseable {
    /** The node. */
    NodeAddress address();

    /** The node's incarnation. */
    long epoch();

    /** The other ways in which the node can be fetched from. */
    List<TransportOffer> offers();

    /** The version of the protocol that both sides speak, on the other path too. */
    int version();

    /** The most bytes that one fetch may ask for. */
    int maxRequestLength();

    /** The most fetches in flight. */
    int credits();

    /** The most bytes of a put or of a commit's table. */
    int maxPutBytes();

    /**
     * Tells the node where this side's end of the path is. Once.
     *
     * @return where the node's is; fails with a {@link FetchException} where the connection ends
     */
    CompletableFuture<EndpointFrame> join(EndpointFrame frame);

    /** Sends a put, commit or abort over this connection, which answers for it from here on. */
    void add(PendingWrite write);

    /** Completes with the reason when the connection has ended, by either side. */
    CompletableFuture<FetchException> ended();

    /** Ends the connection. Idempotent. */
    @Override
    void close();
}
