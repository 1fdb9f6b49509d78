// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TransportOffer;
import io.spillway.wire.SegmentTable;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Brings requests from any thread to the one of a {@link FetchConnection}, in batches. Thread-safe.
 */
public final class ConnectionChannel implements Channel {
    private final FetchConnection connection;
    private final Consumer<ConnectionChannel> onClose;
    private final Queue<PendingRequest> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Creates the channel.
     *
     * @param onClose called by {@link #close}, on its caller's thread
     */
    public ConnectionChannel(
            final FetchConnection connection, final Consumer<ConnectionChannel> onClose) {
        this.connection = connection;
        this.onClose = onClose;
    }

    @Override
    public NodeAddress address() {
        return connection.node().address();
    }

    @Override
    public long epoch() {
        return connection.node().epoch();
    }

    @Override
    public List<TransportOffer> offers() {
        return connection.node().offers();
    }

    @Override
    public int maxSegments() {
        return SegmentTable.most(version(), maxPutBytes());
    }

    private int version() {
        return connection.node().version();
    }

    private int maxPutBytes() {
        return connection.node().limits().putBytes();
    }

    @Override
    public void fetch(
            final SegmentId segment,
            final long offset,
            final ByteBuffer destination,
            final FetchListener listener) {
        submit(new PendingFetch(segment, offset, destination, listener));
    }

    @Override
    public void put(
            final SegmentId segment,
            final long offset,
            final ByteBuffer source,
            final int checksum,
            final PutListener listener) {
        submit(PendingWrite.put(segment, offset, source, checksum, listener));
    }

    @Override
    public CompletableFuture<Void> commit(final OutputSummary output) {
        final int most = SegmentTable.mostOfPart(version(), maxPutBytes());
        final CompletableFuture<Void> result = new CompletableFuture<>();
        commitNext(output.parts(Math.max(1, most)).iterator(), result);
        return result;
    }

    /** One part at a time: this side and the node need memory for one only. */
    private void commitNext(
            final Iterator<OutputSummary> parts, final CompletableFuture<Void> result) {
        final CompletableFuture<Void> taken = new CompletableFuture<>();
        submit(PendingWrite.commit(parts.next(), version(), taken));
        final CompletableFuture<Void> unused =
                taken.whenComplete(
                        (nothing, failure) -> {
                            if (failure != null) {
                                result.completeExceptionally(failure);
                            } else if (parts.hasNext()) {
                                commitNext(parts, result);
                            } else {
                                result.complete(null);
                            }
                        });
    }

    @Override
    public CompletableFuture<Void> abort(final String output) {
        final CompletableFuture<Void> result = new CompletableFuture<>();
        submit(PendingWrite.abort(output, result));
        return result;
    }

    @Override
    public CompletableFuture<ByteBuffer> call(final ByteBuffer request) {
        final CompletableFuture<ByteBuffer> result = new CompletableFuture<>();
        submit(PendingWrite.call(request, result));
        return result;
    }

    private void submit(final PendingRequest request) {
        submitted.add(request);
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
        PendingRequest request = null;
        try {
            for (request = submitted.poll(); request != null; request = submitted.poll()) {
                request.addTo(connection);
            }
            connection.flush();
        } catch (final RuntimeException | Error e) {
            final FetchException cause = failed(address(), e);
            if (request != null) {
                request.fail(cause);
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
        for (PendingRequest request = submitted.poll();
                request != null;
                request = submitted.poll()) {
            request.fail(cause);
        }
    }

    /** What requests fail with when this process, not the node, is at fault. */
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
