package io.spillway.protocol;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TransportOffer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Brings fetches from any thread to the one of a {@link FetchConnection}, in batches. Thread-safe.
 */
public final class ConnectionChannel implements Channel {
    private final FetchConnection connection;
    private final Consumer<ConnectionChannel> onClose;
    private final Queue<PendingFetch> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Creates the channel.
     *
     * @param onClose told by {@link #close}, on its caller's thread
     */
    public ConnectionChannel(
            final FetchConnection connection, final Consumer<ConnectionChannel> onClose) {
        this.connection = connection;
        this.onClose = onClose;
    }

    @Override
    public NodeAddress address() {
        return connection.address();
    }

    @Override
    public long epoch() {
        return connection.epoch();
    }

    @Override
    public List<TransportOffer> offers() {
        return connection.offers();
    }

    @Override
    public void fetch(
            final SegmentId segment,
            final long offset,
            final ByteBuffer destination,
            final FetchListener listener) {
        submitted.add(new PendingFetch(segment, offset, destination, listener));
        if (!scheduled.compareAndSet(false, true)) {
            return;
        }
        try {
            connection.executor().execute(this::handOver);
        } catch (final RejectedExecutionException e) {
            failSubmitted(closed(address()));
        } catch (final RuntimeException | Error e) {
            failSubmitted(failed(address(), e));
        }
    }

    /** On the connection's thread. What it throws would end nowhere: it ends the connection. */
    private void handOver() {
        scheduled.set(false);
        PendingFetch fetch = null;
        try {
            for (fetch = submitted.poll(); fetch != null; fetch = submitted.poll()) {
                connection.add(fetch);
            }
            connection.flush();
        } catch (final RuntimeException | Error e) {
            final FetchException cause = failed(address(), e);
            if (fetch != null) {
                fetch.fail(cause);
            }
            failSubmitted(cause);
            connection.fail(e);
        }
    }

    /**
     * Answers what the connection has not taken: its thread has ended with its transport, and the
     * caller's must do, or taking it failed.
     */
    private void failSubmitted(final FetchException cause) {
        scheduled.set(false);
        for (PendingFetch fetch = submitted.poll(); fetch != null; fetch = submitted.poll()) {
            fetch.fail(cause);
        }
    }

    /** What fetches fail with when this process, not the node, is at fault. */
    public static FetchException failed(final NodeAddress address, final Throwable cause) {
        return new FetchException(
                FetchException.Reason.LOCAL, address + ": this side failed: " + cause, cause);
    }

    /** What is said of a node whose transport was closed. */
    public static FetchException closed(final NodeAddress address) {
        return new FetchException(
                FetchException.Reason.DISCONNECTED, address + ": the transport is closed");
    }

    @Override
    public boolean isOpen() {
        return !closed && connection.isOpen();
    }

    @Override
    public void close() {
        closed = true;
        onClose.accept(this);
        try {
            connection.executor().execute(connection::close);
        } catch (final RejectedExecutionException e) {
            failSubmitted(closed(address()));
        }
    }
}
