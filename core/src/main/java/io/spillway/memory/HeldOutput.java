package io.spillway.memory;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;
import io.spillway.transport.serve.SegmentSink;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One output of a job. Its memory is given back when it was dropped and nothing reads or writes it
 * any more: each piece on its way in or out holds a reference. Thread-safe.
 */
final class HeldOutput {
    /** What is kept about a segment on the heap, about. */
    private static final int SEGMENT_OVERHEAD = 256;

    /** A committed segment. */
    record Whole(HeldSegment bytes, OutputSummary.Segment summary, int runs) {}

    private final String name;
    private final OverflowStore overflow;
    private final OutputRoom room;
    private final Map<SegmentId, HeldSegment> segments = new HashMap<>();
    private Map<SegmentId, Whole> committed;
    private OutputSummary summary;
    private boolean dropped;

    /** One is that of the store that lists it. */
    private int references = 1;

    /**
     * Creates an output without bytes.
     *
     * @param overflowOrNull where pieces go that the memory has no room for
     */
    HeldOutput(
            final String jobId,
            final String name,
            final SegmentMemory memory,
            final OverflowStore overflowOrNull) {
        this.name = name;
        this.overflow = overflowOrNull;
        this.room = new OutputRoom(jobId, memory, overflowOrNull);
    }

    // ---- references ----------------------------------------------------------------------------

    synchronized void retain() {
        references++;
    }

    synchronized void release() {
        references--;
        if (references == 0) {
            room.free();
        }
    }

    /** It is not listed any more. */
    synchronized void drop() {
        dropped = true;
        release();
    }

    /** Whether it is listed, holds nothing, and nothing is on its way. */
    synchronized boolean isUnused() {
        return !dropped && references == 1 && segments.isEmpty() && committed == null;
    }

    synchronized boolean isCommitted() {
        return committed != null;
    }

    /** What it takes of the store's memory and files, in bytes. */
    synchronized long used() {
        return room.used();
    }

    // ---- in ------------------------------------------------------------------------------------

    /** As {@link SegmentSink#begin}; the piece holds a reference until it ends. */
    synchronized SegmentSink.Piece begin(
            final SegmentId id, final long offset, final int length, final int checksum)
            throws FetchException {
        requireLive();
        if (offset > room.most() - length) {
            throw new FetchException(
                    Reason.FULL,
                    id
                            + ": offset="
                            + offset
                            + " length="
                            + length
                            + ", expected an end of at most "
                            + room.most()
                            + ", the node's capacity");
        }
        final boolean held = isHeld(id, offset, length, checksum);
        final PieceRoom taken = held ? PieceRoom.NONE : room.take(length);
        if (taken == null) {
            throw full("a piece of " + length + " bytes");
        }
        references++;
        return new Landing(id, offset, length, checksum, taken, held);
    }

    private void requireLive() throws FetchException {
        if (dropped) {
            throw new FetchException(Reason.UNKNOWN_JOB, name + " was dropped");
        }
    }

    /** Nothing is held everywhere. */
    private boolean isHeld(
            final SegmentId id, final long offset, final int length, final int checksum)
            throws FetchException {
        final HeldSegment segment = segments.get(id);
        if (length == 0 || (segment != null && segment.holds(offset, length, checksum))) {
            return true;
        }
        if (committed != null) {
            throw new FetchException(
                    Reason.CONFLICT,
                    id + ": offset=" + offset + ", but " + name + " is committed without it");
        }
        return false;
    }

    private FetchException full(final String what) {
        return new FetchException(Reason.FULL, name + ": no room for " + what + ": " + room.fill());
    }

    private synchronized void add(final Landing piece) throws FetchException {
        requireLive();
        if (isHeld(piece.id, piece.offset, piece.length, piece.checksum)) {
            giveBack(piece);
            return;
        }
        if (!segments.containsKey(piece.id)) {
            if (!room.charge(SEGMENT_OVERHEAD)) {
                throw full("another segment");
            }
            segments.put(piece.id, new HeldSegment(piece.id));
        }
        segments.get(piece.id)
                .add(new HeldSegment.Bytes(piece.offset, piece.checksum, piece.taken));
        if (piece.taken.isInFile()) {
            room.written(piece.taken);
        }
    }

    private synchronized void giveBack(final Landing piece) {
        if (!piece.held) {
            room.giveBack(piece.taken);
        }
    }

    /** A piece on its way in. */
    private final class Landing implements SegmentSink.Piece {
        private final SegmentId id;
        private final long offset;
        private final int length;
        private final int checksum;
        private final PieceRoom taken;
        private final boolean held;

        Landing(
                final SegmentId id,
                final long offset,
                final int length,
                final int checksum,
                final PieceRoom taken,
                final boolean held) {
            this.id = id;
            this.offset = offset;
            this.length = length;
            this.checksum = checksum;
            this.taken = taken;
            this.held = held;
        }

        @Override
        public boolean isHeld() {
            return held;
        }

        @Override
        public List<ByteBuffer> room() {
            return taken.views();
        }

        @Override
        public void arrived(final SegmentSink.Completion completion) {
            if (held || !taken.isInFile()) {
                keep(completion);
                return;
            }
            overflow.write(
                    taken.range(),
                    taken.views(),
                    new SegmentSink.Completion() {
                        @Override
                        public void done() {
                            keep(completion);
                        }

                        @Override
                        public void failed(final FetchException cause) {
                            abandon();
                            completion.failed(cause);
                        }
                    });
        }

        private void keep(final SegmentSink.Completion completion) {
            try {
                if (!held) {
                    add(this);
                }
            } catch (final FetchException e) {
                abandon();
                completion.failed(e);
                return;
            }
            release();
            completion.done();
        }

        @Override
        public void abandon() {
            giveBack(this);
            release();
        }
    }

    // ---- commit --------------------------------------------------------------------------------

    synchronized void commit(final OutputSummary output) throws FetchException {
        requireLive();
        if (committed != null) {
            requireSame(output);
            return;
        }
        final Map<Integer, Integer> runs = new HashMap<>();
        for (final OutputSummary.Segment segment : output.segments()) {
            runs.merge(segment.partition(), 1, Integer::sum);
        }
        final Map<SegmentId, Whole> whole = new HashMap<>();
        for (final OutputSummary.Segment segment : output.segments()) {
            final SegmentId id = idOf(segment);
            final HeldSegment bytes = segments.getOrDefault(id, new HeldSegment(id));
            bytes.requireWhole(segment);
            final int count = runs.get(segment.partition());
            if (segment.run() >= count) {
                throw new FetchException(
                        Reason.OUT_OF_RANGE,
                        id + ": run=" + segment.run() + " of " + count + " in the commit");
            }
            whole.put(id, new Whole(bytes, segment, count));
        }
        requireNoOther(whole.keySet());
        if (!room.charge((long) SEGMENT_OVERHEAD * whole.size())) {
            throw full("a commit of " + whole.size() + " segments");
        }
        summary = output;
        committed = whole;
    }

    private void requireSame(final OutputSummary output) throws FetchException {
        if (!new HashSet<>(summary.segments()).equals(new HashSet<>(output.segments()))) {
            throw new FetchException(
                    Reason.CONFLICT, name + " is committed with other lengths or checksums");
        }
    }

    private void requireNoOther(final Set<SegmentId> listed) throws FetchException {
        for (final SegmentId id : segments.keySet()) {
            if (!listed.contains(id)) {
                throw new FetchException(
                        Reason.CONFLICT, id + " has bytes here, but is not in the commit");
            }
        }
    }

    private SegmentId idOf(final OutputSummary.Segment segment) {
        return new SegmentId(name, segment.partition(), segment.run());
    }

    // ---- out -----------------------------------------------------------------------------------

    /** A committed segment, with a reference on this output. */
    synchronized Whole open(final SegmentId id) throws FetchException {
        if (dropped || committed == null) {
            throw new FetchException(Reason.NOT_FOUND, name + " is not here");
        }
        final Whole whole = committed.get(id);
        if (whole == null) {
            throw new FetchException(
                    Reason.OUT_OF_RANGE, id + " is not among " + committed.size() + " segments");
        }
        references++;
        return whole;
    }
}
