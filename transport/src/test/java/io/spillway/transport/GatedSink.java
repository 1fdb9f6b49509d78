// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * A store whose sink does not finish pieces until it is opened, and which counts the bytes that it
 * was given and has not finished.
 */
public final class GatedSink implements SegmentSource, SegmentSink {
    private final SegmentSource source;
    private final SegmentSink sink;
    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean open;
    private long bytes;
    private long mostBytes;

    /** Wraps a store; fetches are its own. */
    public GatedSink(final SegmentSource source) {
        this.source = source;
        this.sink = source.sink().orElseThrow();
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        return source.open(jobId, segment);
    }

    @Override
    public Optional<SegmentSink> sink() {
        return Optional.of(this);
    }

    @Override
    public Piece begin(
            final String jobId,
            final SegmentId segment,
            final long offset,
            final int length,
            final int checksum)
            throws FetchException {
        final Piece piece = sink.begin(jobId, segment, offset, length, checksum);
        add(length);
        return new Gated(piece, length);
    }

    private synchronized void add(final long count) {
        bytes += count;
        mostBytes = Math.max(mostBytes, bytes);
    }

    /** The most bytes that it had to do with at a time. */
    public synchronized long mostBytes() {
        return mostBytes;
    }

    /** Waits until that many pieces wait. */
    public synchronized void awaitHeld(final int pieces) throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (held.size() < pieces) {
            final long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            assertThat(left).as("time left, %s pieces of %s", held.size(), pieces).isPositive();
            wait(left);
        }
    }

    /** The pieces that wait. */
    public synchronized int heldCount() {
        return held.size();
    }

    /** Finishes what waits and what comes. */
    public void open() {
        synchronized (this) {
            open = true;
        }
        Runnable next = nextHeld();
        while (next != null) {
            next.run();
            next = nextHeld();
        }
    }

    private synchronized Runnable nextHeld() {
        return held.poll();
    }

    @Override
    public void commit(
            final String jobId, final OutputSummary output, final Completion completion) {
        sink.commit(jobId, output, completion);
    }

    @Override
    public void abort(final String jobId, final String output, final Completion completion) {
        sink.abort(jobId, output, completion);
    }

    private final class Gated implements Piece {
        private final Piece piece;
        private final int length;

        Gated(final Piece piece, final int length) {
            this.piece = piece;
            this.length = length;
        }

        @Override
        public boolean isHeld() {
            return piece.isHeld();
        }

        @Override
        public List<ByteBuffer> room() {
            return piece.room();
        }

        @Override
        public void arrived(final Completion completion) {
            synchronized (GatedSink.this) {
                if (!open) {
                    held.add(() -> finish(completion));
                    GatedSink.this.notifyAll();
                    return;
                }
            }
            finish(completion);
        }

        private void finish(final Completion completion) {
            add(-length);
            piece.arrived(completion);
        }

        @Override
        public void abandon() {
            add(-length);
            piece.abandon();
        }
    }
}
