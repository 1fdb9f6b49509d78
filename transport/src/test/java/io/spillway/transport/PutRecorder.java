// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener that remembers how its put ended, and whether it was told so once only. */
public final class PutRecorder implements PutListener {
    private static final long PATIENCE_SECONDS = 30;

    private final CompletableFuture<Void> result = new CompletableFuture<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final ByteBuffer source;
    private final int position;
    private final int limit;

    private PutRecorder(final ByteBuffer source) {
        this.source = source;
        this.position = source.position();
        this.limit = source.limit();
    }

    /** Puts what remains of {@code source}. */
    public static PutRecorder put(
            final Channel channel,
            final SegmentId segment,
            final long offset,
            final ByteBuffer source) {
        final PutRecorder recorder = new PutRecorder(source);
        channel.put(segment, offset, source, recorder);
        return recorder;
    }

    /** Puts what remains of {@code source}, and says its checksum. */
    public static PutRecorder put(
            final Channel channel,
            final SegmentId segment,
            final long offset,
            final ByteBuffer source,
            final int checksum) {
        final PutRecorder recorder = new PutRecorder(source);
        channel.put(segment, offset, source, checksum, recorder);
        return recorder;
    }

    /** Puts bytes from the heap. */
    public static PutRecorder put(
            final Channel channel, final SegmentId segment, final long offset, final byte[] bytes) {
        return put(channel, segment, offset, ByteBuffer.wrap(bytes));
    }

    @Override
    public void onAcknowledged(final ByteBuffer buffer) {
        record(buffer);
        result.complete(null);
    }

    @Override
    public void onFailed(final ByteBuffer buffer, final FetchException cause) {
        record(buffer);
        result.completeExceptionally(cause);
    }

    private void record(final ByteBuffer buffer) {
        calls.incrementAndGet();
        try {
            assertThat(buffer).isSameAs(source);
            assertThat(buffer.position()).isEqualTo(position);
            assertThat(buffer.limit()).isEqualTo(limit);
        } catch (final AssertionError e) {
            result.completeExceptionally(e);
        }
    }

    /** Waits for the acknowledgement. */
    public void acknowledged() throws Exception {
        result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(calls.get()).as("calls").isOne();
    }

    /** Waits for the failure. */
    public FetchException failure() throws InterruptedException, TimeoutException {
        return failureOf(result);
    }

    /** Waits for the failure of a commit or an abort. */
    public static FetchException failureOf(final CompletableFuture<Void> request)
            throws InterruptedException, TimeoutException {
        try {
            request.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            throw new AssertionError("acknowledged, expected a failure");
        } catch (final ExecutionException e) {
            if (e.getCause() instanceof FetchException failure) {
                return failure;
            }
            throw new AssertionError(e.getCause());
        }
    }

    /** Waits until a commit or an abort is done. */
    public static void await(final CompletableFuture<Void> request) throws Exception {
        request.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Whether it has ended. */
    public boolean isDone() {
        return result.isDone();
    }

    /** How often the listener was called. */
    public int calls() {
        return calls.get();
    }
}
