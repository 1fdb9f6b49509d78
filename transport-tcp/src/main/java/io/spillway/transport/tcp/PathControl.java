package io.spillway.transport.tcp;

import io.spillway.protocol.ConnectionChannel;
import io.spillway.protocol.PendingWrite;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.wire.JoinFrame;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * A proved connection beside an {@link OtherPath} to the same node: brings the addresses of both
 * ends, and tells when the node is gone. Thread-safe.
 */
public final class PathControl implements AutoCloseable {
    private final ClientConnection connection;
    private final ConnectionChannel channel;

    PathControl(final ClientConnection connection, final ConnectionChannel channel) {
        this.connection = connection;
        this.channel = channel;
    }

    /** The node. */
    public NodeAddress address() {
        return connection.address();
    }

    /** The node's incarnation. */
    public long epoch() {
        return connection.epoch();
    }

    /** The other ways in which the node can be fetched from. */
    public List<TransportOffer> offers() {
        return connection.offers();
    }

    /** The most bytes that one fetch may ask for. */
    public int maxRequestLength() {
        return connection.maxRequestLength();
    }

    /** The most fetches in flight. */
    public int credits() {
        return connection.credits();
    }

    /**
     * Tells the node where this side's end of the path is. Once.
     *
     * @return where the node's is; fails with a {@link FetchException} where the connection ends
     */
    public CompletableFuture<JoinFrame> join(final JoinFrame frame) {
        try {
            connection.executor().execute(() -> connection.join(frame));
        } catch (final RejectedExecutionException e) {
            connection.joined().completeExceptionally(ConnectionChannel.closed(address()));
        }
        return connection.joined();
    }

    /** Sends a put, commit or abort over this connection, which answers for it from here on. */
    public void add(final PendingWrite write) {
        try {
            connection.executor().execute(() -> connection.send(write));
        } catch (final RejectedExecutionException e) {
            write.fail(ConnectionChannel.closed(address()));
        } catch (final RuntimeException | Error e) {
            write.fail(ConnectionChannel.failed(address(), e));
        }
    }

    /** Completes with the reason when the connection has ended, by either side. */
    public CompletableFuture<FetchException> ended() {
        return connection.ended();
    }

    /** Ends the connection. Idempotent. */
    @Override
    public void close() {
        channel.close();
    }
}
