package io.spillway.bench.net;

import io.spillway.bench.net.data.BenchData;
import io.spillway.bench.net.data.Offsets;
import io.spillway.bench.net.data.Pieces;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Fetches over a channel of one of Spillway's transports, each from the end of another. */
final class ChannelTraffic implements Traffic {
    private static final long PATIENCE_SECONDS = 60;

    private final Transport transport;
    private final Channel channel;
    private final Pieces pieces;

    /** Both the transport and its channel belong to the traffic from here on. */
    ChannelTraffic(final Transport transport, final Channel channel, final Pieces pieces) {
        this.transport = transport;
        this.channel = channel;
        this.pieces = pieces;
    }

    @Override
    public Sample run(final int bytes, final int window, final long nanos)
            throws IOException, InterruptedException {
        final Run run = new Run(bytes, window, nanos);
        for (final Slot slot : run.slots) {
            slot.ask();
        }
        if (!run.ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("no answer within " + PATIENCE_SECONDS + " s");
        }
        if (run.failure.get() != null) {
            throw new IOException(run.failure.get().getMessage(), run.failure.get());
        }
        return new Sample(
                run.messages.get(),
                run.lastAnswer.get() - run.start,
                run.latencies.medianMicros(),
                0,
                0,
                0);
    }

    /** One measurement. Its slots run on the transport's thread, but for their first requests. */
    private final class Run {
        private final int bytes;
        private final int window;
        private final long nanos;
        private final Offsets offsets;
        private final Latencies latencies = new Latencies();
        private final List<Slot> slots = new ArrayList<>();
        private final CountDownLatch ended;
        private final AtomicLong messages = new AtomicLong();
        private final AtomicLong lastAnswer = new AtomicLong();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final long start;

        Run(final int bytes, final int window, final long nanos) {
            this.bytes = bytes;
            this.window = window;
            this.nanos = nanos;
            this.offsets = pieces.offsets(bytes);
            this.ended = new CountDownLatch(window);
            final Supplier<ByteBuffer> places = pieces.places(bytes);
            for (int i = 0; i < window; i++) {
                slots.add(new Slot(this, places.get()));
            }
            this.start = System.nanoTime();
        }

        synchronized long nextOffset() {
            return offsets.next();
        }
    }

    /** One request in flight at a time. */
    private final class Slot implements FetchListener {
        private final Run run;
        private final ByteBuffer buffer;
        private long offset;
        private long asked;

        Slot(final Run run, final ByteBuffer buffer) {
            this.run = run;
            this.buffer = buffer;
        }

        void ask() {
            offset = run.nextOffset();
            asked = System.nanoTime();
            channel.fetch(BenchData.SEGMENT, offset, buffer.clear(), this);
        }

        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply reply) {
            final long now = System.nanoTime();
            try {
                if (reply.length() != run.bytes) {
                    throw new IllegalStateException(
                            "length=" + reply.length() + ", expected " + run.bytes);
                }
                BenchData.check(destination, run.bytes, offset);
                if (run.window == 1) {
                    run.latencies.add(now - asked);
                }
                run.messages.incrementAndGet();
                run.lastAnswer.accumulateAndGet(now, Math::max);
                if (now - run.start < run.nanos) {
                    ask();
                    return;
                }
            } catch (final RuntimeException e) {
                run.failure.compareAndSet(null, e);
            }
            run.ended.countDown();
        }

        @Override
        public void onElsewhere(final ByteBuffer destination, final SegmentPlaces places) {
            onFailed(
                    destination,
                    new FetchException(FetchException.Reason.NOT_FOUND, "it is at " + places));
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException cause) {
            run.failure.compareAndSet(null, cause);
            run.ended.countDown();
        }
    }

    @Override
    public void close() {
        channel.close();
        transport.close();
    }
}
