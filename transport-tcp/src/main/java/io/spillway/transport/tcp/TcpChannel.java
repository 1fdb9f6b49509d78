package io.spillway.transport.tcp;

import io.spillway.protocol.PendingFetch;
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

/** Brings fetches from any thread to the event loop of a {@link ClientConnection}, in batches. */
final class TcpChannel implements Channel {
    private final ClientConnection connection;
    private final Consumer<TcpChannel> onClose;
    private final Queue<PendingFetch> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean closed;

    TcpChannel(final ClientConnection connection, final Consumer<TcpChannel> onClose) {
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
            failSubmitted();
        }
    }

    /** On the event loop. */
    private void handOver() {
        scheduled.set(false);
        for (PendingFetch fetch = submitted.poll(); fetch != null; fetch = submitted.poll()) {
            connection.add(fetch);
        }
        connection.flush();
    }

    /**
     * There is no event loop any more: its transport is closed, and the caller's thread must do.
     */
    private void failSubmitted() {
        scheduled.set(false);
        final FetchException cause = closed(address());
        for (PendingFetch fetch = submitted.poll(); fetch != null; fetch = submitted.poll()) {
            fetch.fail(cause);
        }
    }

    static FetchException closed(final NodeAddress address) {
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
            failSubmitted();
        }
    }
}
