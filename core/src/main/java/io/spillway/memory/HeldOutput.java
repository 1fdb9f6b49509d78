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
    private final SegmentMemory store;
    private final OutputMemory memory;
    private final Map<SegmentId, HeldSegment> segments = new HashMap<>();
    private Map<SegmentId, Whole> committed;
    private OutputSummary summary;
    private boolean dropped;

    /** One is that of the store that lists it. */
    private int references = 1;

    HeldOutput(final String name, final SegmentMemory store) {
        this.name = name;
        this.store = store;
        this.memory = new OutputMemory(store);
    }

    // ---- references ----------------------------------------------------------------------------

    synchronized void retain() {
        references++;
    }

    synchronized void release() {
        references--;
        if (references == 0) {
            memory.free();
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

    /** What it takes of the store's capacity, in bytes. */
    synchronized long used() {
        return memory.used();
    }

    // ---- in ------------------------------------------------------------------------------------

    /** As {@link SegmentSink#begin}; the piece holds a reference until it ends. */
    synchronized SegmentSink.Piece begin(
            final SegmentId id, final long offset, final int length, final int checksum)
            throws FetchException {
        requireLive();
        if (offset > store.capacity() - length) {
            throw new FetchException(
                    Reason.FULL,
                    id
                            + ": offset="
                            + offset
                            + " length="
                            + length
                            + ", expected an end of at most "
                            + store.capacity()
                            + ", the node's capacity");
        }
        final boolean held = isHeld(id, offset, length, checksum);
        final List<ByteBuffer> room = held ? List.of() : memory.take(length);
        if (room == null) {
            throw full("a piece of " + length + " bytes");
        }
        references++;
        return new Landing(id, offset, length, checksum, room, held);
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
        return new FetchException(
                Reason.FULL,
                name
                        + ": no room for "
                        + what
                        + ": used="
                        + store.used()
                        + " of capacity="
                        + store.capacity());
    }

    private synchronized void add(final Landing piece) throws FetchException {
        requireLive();
        if (isHeld(piece.id, piece.offset, piece.length, piece.checksum)) {
            giveBack(piece);
            return;
        }
        if (!segments.containsKey(piece.id)) {
            if (!memory.charge(SEGMENT_OVERHEAD)) {
                throw full("another segment");
            }
            segments.put(piece.id, new HeldSegment(piece.id));
        }
        segments.get(piece.id)
                .add(new HeldSegment.Bytes(piece.offset, piece.length, piece.checksum, piece.room));
    }

    private synchronized void giveBack(final Landing piece) {
        if (!piece.held) {
            memory.giveBack(piece.length, piece.room);
        }
    }

    /** A piece on its way in. */
    private final class Landing implements SegmentSink.Piece {
        private final SegmentId id;
        private final long offset;
        private final int length;
        private final int checksum;
        private final List<ByteBuffer> room;
        private final boolean held;

        Landing(
                final SegmentId id,
                final long offset,
                final int length,
                final int checksum,
                final List<ByteBuffer> room,
                final boolean held) {
            this.id = id;
            this.offset = offset;
            this.length = length;
            this.checksum = checksum;
            this.room = room;
            this.held = held;
        }

        @Override
        public boolean isHeld() {
            return held;
        }

        /** Views of their own: where the pieces lie is kept by position and limit. */
        @Override
        public List<ByteBuffer> room() {
            return room.stream().map(ByteBuffer::duplicate).toList();
        }

        @Override
        public void arrived(final SegmentSink.Completion completion) {
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
        if (!memory.charge((long) SEGMENT_OVERHEAD * whole.size())) {
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
