// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentPlaces;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One measurement: so many requests in flight for a while, each from the end of another. Those
 * after the first run on the transport's thread.
 */
final class FetchRun {
    private static final long PATIENCE_SECONDS = 60;
    private static final int MOST_TIMES = 1 << 18;
    private static final double NANOS_PER_MICRO = 1e3;

    private final Channel channel;
    private final int bytes;
    private final int pieces;
    private final List<Slot> slots = new ArrayList<>();
    private final CountDownLatch ended;
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong lastAnswer = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Times of single requests, the latest ones where there are very many; null for several. */
    private final long[] timesOrNull;

    private long start;
    private long nanos;

    /**
     * Prepares a measurement.
     *
     * @param onePlace whether always the first piece comes, into one place
     * @param heap whether into arrays, else into direct memory
     */
    FetchRun(
            final Channel channel,
            final int bytes,
            final int window,
            final boolean onePlace,
            final boolean heap) {
        this.channel = channel;
        this.bytes = bytes;
        this.pieces = onePlace ? 1 : BenchData.LENGTH / bytes;
        this.ended = new CountDownLatch(window);
        this.timesOrNull = window == 1 ? new long[MOST_TIMES] : null;
        final ByteBuffer first = allocate(heap);
        for (int i = 0; i < window; i++) {
            slots.add(new Slot(onePlace ? first.duplicate() : allocate(heap)));
        }
    }

    private ByteBuffer allocate(final boolean heap) {
        return heap ? ByteBuffer.allocate(bytes) : ByteBuffer.allocateDirect(bytes);
    }

    /** Sends requests for so long. */
    Sample run(final long duration) throws IOException, InterruptedException {
        nanos = duration;
        start = System.nanoTime();
        slots.forEach(Slot::ask);
        if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("no answer within " + PATIENCE_SECONDS + " s");
        }
        if (failure.get() != null) {
            throw new IOException(failure.get().getMessage(), failure.get());
        }
        return new Sample(messages.get(), lastAnswer.get() - start, medianMicros(), 0, 0, 0);
    }

    private double medianMicros() {
        if (timesOrNull == null) {
            return Double.NaN;
        }
        final int known = (int) Math.min(messages.get(), MOST_TIMES);
        Arrays.sort(timesOrNull, 0, known);
        return timesOrNull[known / 2] / NANOS_PER_MICRO;
    }

    /** One request in flight at a time. */
    private final class Slot implements FetchListener {
        private final ByteBuffer buffer;
        private long offset;
        private long began;

        Slot(final ByteBuffer buffer) {
            this.buffer = buffer;
        }

        void ask() {
            offset = asked.getAndIncrement() % pieces * bytes;
            began = System.nanoTime();
            channel.fetch(BenchData.SEGMENT, offset, buffer.clear(), this);
        }

        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply reply) {
            final long now = System.nanoTime();
            try {
                if (reply.length() != bytes) {
                    throw new IllegalStateException(
                            "length=" + reply.length() + ", expected " + bytes);
                }
                BenchData.check(destination, bytes, offset);
                final long number = messages.getAndIncrement();
                if (timesOrNull != null) {
                    timesOrNull[(int) (number % MOST_TIMES)] = now - began;
                }
                lastAnswer.accumulateAndGet(now, Math::max);
                if (now - start < nanos) {
                    ask();
                    return;
                }
            } catch (final RuntimeException e) {
                failure.compareAndSet(null, e);
            }
            ended.countDown();
        }

        @Override
        public void onElsewhere(final ByteBuffer destination, final SegmentPlaces places) {
            onFailed(
                    destination,
                    new FetchException(FetchException.Reason.NOT_FOUND, "it is at " + places));
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException cause) {
            failure.compareAndSet(null, cause);
            ended.countDown();
        }
    }
}
