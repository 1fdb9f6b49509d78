// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.node.member.PutStats.Refusal;
import io.spillway.transport.FetchException;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;
import io.spillway.transport.serve.SegmentSink;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Counts what another sink takes and refuses. Thread-safe, as that is. */
final class CountedSink implements SegmentSink {
    private final SegmentSink sink;
    private final LongAdder pieces = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder commits = new LongAdder();
    private final LongAdder aborts = new LongAdder();
    private final Map<Refusal, LongAdder> refused = new EnumMap<>(Refusal.class);

    CountedSink(final SegmentSink sink) {
        this.sink = sink;
        for (final Refusal cause : Refusal.values()) {
            refused.put(cause, new LongAdder());
        }
    }

    /** The counts now. */
    PutStats stats() {
        final Map<Refusal, Long> sums = new EnumMap<>(Refusal.class);
        refused.forEach((cause, count) -> sums.put(cause, count.sum()));
        return new PutStats(pieces.sum(), bytes.sum(), sums, commits.sum(), aborts.sum());
    }

    @Override
    public Piece begin(
            final String jobId,
            final SegmentId segment,
            final long offset,
            final int length,
            final int checksum)
            throws FetchException {
        try {
            return new CountedPiece(sink.begin(jobId, segment, offset, length, checksum), length);
        } catch (final FetchException e) {
            refused(e);
            throw e;
        }
    }

    @Override
    public void commit(
            final String jobId, final OutputSummary output, final Completion completion) {
        final Runnable whole = output.isLast() ? commits::increment : () -> {};
        sink.commit(jobId, output, new Counted(completion, whole, this::refused));
    }

    @Override
    public void abort(final String jobId, final String output, final Completion completion) {
        sink.abort(jobId, output, new Counted(completion, aborts::increment, cause -> {}));
    }

    private void refused(final FetchException cause) {
        refused.get(Refusal.of(cause.reason())).increment();
    }

    /** A piece on its way in; counts when it is there. */
    private final class CountedPiece implements Piece {
        private final Piece piece;
        private final int length;

        CountedPiece(final Piece piece, final int length) {
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
            piece.arrived(new Counted(completion, this::taken, CountedSink.this::refused));
        }

        private void taken() {
            pieces.increment();
            bytes.add(length);
        }

        @Override
        public void abandon() {
            piece.abandon();
        }
    }

    /** Counts how something ends, and then tells. */
    private record Counted(
            Completion completion, Runnable onDone, Consumer<FetchException> onFailed)
            implements Completion {
        @Override
        public void done() {
            onDone.run();
            completion.done();
        }

        @Override
        public void failed(final FetchException cause) {
            onFailed.accept(cause);
            completion.failed(cause);
        }
    }
}
