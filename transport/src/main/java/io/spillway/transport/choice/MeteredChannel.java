// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.TransportOffer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** A channel of whichever transport was chosen, which counts its bytes and judges its failures. */
final class MeteredChannel implements Channel {
    private final Channel channel;
    private final NodeAddress node;
    private final long epoch;
    private final List<TransportOffer> offers;
    private final LongAdder bytes;
    private final Judge judge;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicBoolean judged = new AtomicBoolean();
    private volatile boolean closed;
    private volatile boolean proven;

    /** Learns what became of a channel over another transport; called once at most. */
    interface Judge {
        /** It was lost after it had brought data. */
        void lost(String why);

        /** It never brought any, or answers what it was not expected to. */
        void failed(String why);
    }

    /**
     * Wraps a channel.
     *
     * @param node where the node's shuffle port is
     * @param epoch of the process behind that port
     * @param bytes what it brings is added here
     * @param judge null for the transport that is the last resort
     */
    MeteredChannel(
            final Channel channel,
            final NodeAddress node,
            final long epoch,
            final List<TransportOffer> offers,
            final LongAdder bytes,
            final Judge judge) {
        this.channel = channel;
        this.node = node;
        this.epoch = epoch;
        this.offers = offers;
        this.bytes = bytes;
        this.judge = judge;
    }

    @Override
    public NodeAddress address() {
        return node;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public int maxSegments() {
        return channel.maxSegments();
    }

    @Override
    public List<TransportOffer> offers() {
        return offers;
    }

    @Override
    public boolean hasFallback() {
        return judge != null;
    }

    @Override
    public void fetch(
            final SegmentId segment,
            final long offset,
            final ByteBuffer destination,
            final FetchListener listener) {
        inFlight.incrementAndGet();
        try {
            channel.fetch(segment, offset, destination, new Counted(listener));
        } catch (final RuntimeException | Error e) {
            inFlight.decrementAndGet();
            throw e;
        }
    }

    /** What the count or the judge may throw, the fetch's own listener is called. */
    private final class Counted implements FetchListener {
        private final FetchListener listener;

        Counted(final FetchListener listener) {
            this.listener = listener;
        }

        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply reply) {
            try {
                inFlight.decrementAndGet();
                proven = true;
                bytes.add(reply.length());
            } finally {
                listener.onFetched(destination, reply);
            }
        }

        @Override
        public void onElsewhere(final ByteBuffer destination, final SegmentPlaces places) {
            try {
                inFlight.decrementAndGet();
                proven = true;
            } finally {
                listener.onElsewhere(destination, places);
            }
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException cause) {
            try {
                inFlight.decrementAndGet();
                judge(cause);
            } finally {
                listener.onFailed(destination, cause);
            }
        }
    }

    @Override
    public void put(
            final SegmentId segment,
            final long offset,
            final ByteBuffer source,
            final int checksum,
            final PutListener listener) {
        inFlight.incrementAndGet();
        try {
            channel.put(segment, offset, source, checksum, new CountedPut(listener));
        } catch (final RuntimeException | Error e) {
            inFlight.decrementAndGet();
            throw e;
        }
    }

    @Override
    public CompletableFuture<Void> commit(final OutputSummary output) {
        return counted(() -> channel.commit(output));
    }

    @Override
    public CompletableFuture<Void> abort(final String output) {
        return counted(() -> channel.abort(output));
    }

    @Override
    public CompletableFuture<ByteBuffer> call(final ByteBuffer request) {
        return counted(() -> channel.call(request));
    }

    private <T> CompletableFuture<T> counted(final Supplier<CompletableFuture<T>> request) {
        inFlight.incrementAndGet();
        try {
            return request.get().whenComplete((result, cause) -> ended(cause));
        } catch (final RuntimeException | Error e) {
            inFlight.decrementAndGet();
            throw e;
        }
    }

    /** A node that refuses a put answers as it should: only a channel that is lost is judged. */
    private void ended(final Throwable cause) {
        inFlight.decrementAndGet();
        if (cause == null) {
            proven = true;
        } else if (cause instanceof FetchException failure && !channel.isOpen()) {
            judge(failure);
        }
    }

    /** What the count or the judge may throw, the put's own listener is called. */
    private final class CountedPut implements PutListener {
        private final PutListener listener;

        CountedPut(final PutListener listener) {
            this.listener = listener;
        }

        @Override
        public void onAcknowledged(final ByteBuffer source) {
            try {
                ended(null);
            } finally {
                listener.onAcknowledged(source);
            }
        }

        @Override
        public void onFailed(final ByteBuffer source, final FetchException cause) {
            try {
                ended(cause);
            } finally {
                listener.onFailed(source, cause);
            }
        }
    }

    private void judge(final FetchException cause) {
        if (judge == null || closed || !judged.compareAndSet(false, true)) {
            return;
        }
        if (channel.isOpen() || !proven) {
            judge.failed(cause.getMessage());
        } else {
            judge.lost(cause.getMessage());
        }
    }

    private void judgeSilence() {
        final int unanswered = inFlight.get();
        if (judge == null || unanswered == 0 || !judged.compareAndSet(false, true)) {
            return;
        }
        final String why = "closed while " + unanswered + " requests had no answer";
        if (proven) {
            judge.lost(why);
        } else {
            judge.failed(why);
        }
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    /** A caller that closes a channel which owes answers has waited for them in vain. */
    @Override
    public void close() {
        closed = true;
        judgeSilence();
        channel.close();
    }
}
