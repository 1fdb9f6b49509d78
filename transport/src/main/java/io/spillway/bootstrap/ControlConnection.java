// SPDX-License-Identifier: Apache-2.0
package io.spillway.bootstrap;

import io.spillway.protocol.PendingWrite;
import io.spillway.protocol.ProvedNode;
import io.spillway.seal.SessionKeys;
import io.spillway.transport.FetchException;
import io.spillway.wire.EndpointFrame;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A proved connection beside an {@link OtherPath} to the same node: brings the addresses of both
 * ends, and shows when the node is gone. Thread-safe.
 */
public interface ControlConnection extends AutoCloseable {
    /** The node; both sides speak the version of the protocol on the other path, too. */
    ProvedNode node();

    /**
     * The keys of the session, which have to seal the other path too; empty where its protection is
     * authentication.
     */
    Optional<SessionKeys> keys();

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
