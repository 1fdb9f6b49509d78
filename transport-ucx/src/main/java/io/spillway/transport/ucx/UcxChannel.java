package io.spillway.transport.ucx;

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

/** Brings fetches from any thread to the one of a {@link ClientConnection}, in batches. */
final class UcxChannel implements Channel {
    private final ClientConnection connection;
    private final Queue<PendingFetch> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean closed;

    UcxChannel(final ClientConnection connection) {
        this.connection = connection;
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
            connection.thread().execute(this::handOver);
        } catch (final RejectedExecutionException e) {
            failSubmitted();
        }
    }

    /** On the thread of UCX. */
    private void handOver() {
        scheduled.set(false);
        for (PendingFetch fetch = submitted.poll(); fetch != null; fetch = submitted.poll()) {
            connection.add(fetch);
        }
        connection.flush();
    }

    /** There is no thread of UCX any more, and the caller's must do. */
    private void failSubmitted() {
        scheduled.set(false);
        final FetchException cause =
                new FetchException(
                        FetchException.Reason.DISCONNECTED,
                        address() + ": the transport is closed");
        for (PendingFetch fetch = submitted.poll(); fetch != null; fetch = submitted.poll()) {
            fetch.fail(cause);
        }
    }

    @Override
    public boolean isOpen() {
        return !closed && connection.isOpen();
    }

    @Override
    public void close() {
        closed = true;
        try {
            connection.thread().execute(connection::close);
        } catch (final RejectedExecutionException e) {
            failSubmitted();
        }
    }
}
