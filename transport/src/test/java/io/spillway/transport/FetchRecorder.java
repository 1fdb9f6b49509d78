// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener that remembers how its fetch ended, and whether it was told so once only. */
public final class FetchRecorder implements FetchListener {
    private static final long PATIENCE_SECONDS = 30;

    private final CompletableFuture<FetchReply> result = new CompletableFuture<>();
    private final CompletableFuture<SegmentPlaces> elsewhere = new CompletableFuture<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final ByteBuffer destination;
    private final int start;

    private FetchRecorder(final ByteBuffer destination) {
        this.destination = destination;
        this.start = destination.position();
    }

    /** Fetches into a new heap buffer. */
    public static FetchRecorder fetch(
            final Channel channel, final SegmentId segment, final long offset, final int length) {
        return fetch(channel, segment, offset, ByteBuffer.allocate(length));
    }

    /** Fetches into {@code destination}. */
    public static FetchRecorder fetch(
            final Channel channel,
            final SegmentId segment,
            final long offset,
            final ByteBuffer destination) {
        final FetchRecorder recorder = new FetchRecorder(destination);
        channel.fetch(segment, offset, destination, recorder);
        return recorder;
    }

    @Override
    public void onFetched(final ByteBuffer buffer, final FetchReply reply) {
        record(buffer);
        if (buffer.position() != start + reply.length()) {
            result.completeExceptionally(new AssertionError("position=" + buffer.position()));
        }
        result.complete(reply);
        elsewhere.completeExceptionally(new AssertionError("fetched " + reply));
    }

    @Override
    public void onElsewhere(final ByteBuffer buffer, final SegmentPlaces places) {
        recordUnused(buffer);
        result.completeExceptionally(new AssertionError("it is at " + places));
        elsewhere.complete(places);
    }

    @Override
    public void onFailed(final ByteBuffer buffer, final FetchException cause) {
        recordUnused(buffer);
        result.completeExceptionally(cause);
        elsewhere.completeExceptionally(cause);
    }

    private void recordUnused(final ByteBuffer buffer) {
        record(buffer);
        if (buffer.position() != start) {
            final AssertionError wrong = new AssertionError("position=" + buffer.position());
            result.completeExceptionally(wrong);
            elsewhere.completeExceptionally(wrong);
        }
    }

    private void record(final ByteBuffer buffer) {
        assertThat(buffer).isSameAs(destination);
        assertThat(calls.incrementAndGet()).as("calls").isOne();
    }

    /** Waits for the answer. */
    public FetchReply reply() throws Exception {
        return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits for the answer's bytes. */
    public byte[] bytes() throws Exception {
        reply();
        return TestSegments.written(destination, start);
    }

    /** Waits to be told of the nodes that have the segment. */
    public SegmentPlaces places() throws Exception {
        return elsewhere.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits for the failure. */
    public FetchException failure() throws InterruptedException, TimeoutException {
        try {
            final FetchReply reply = result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            throw new AssertionError("fetched " + reply + ", expected a failure");
        } catch (final ExecutionException e) {
            if (e.getCause() instanceof FetchException failure) {
                return failure;
            }
            throw new AssertionError(e.getCause());
        }
    }

    /** How often the listener was called. */
    public int calls() {
        return calls.get();
    }
}
