// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;
import io.spillway.transport.serve.SegmentSink;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * One output of a job. Its memory is given back when it was dropped and nothing reads or writes it
 * any more: each piece on its way in or out holds a reference. Thread-safe.
 */
final class HeldOutput {
    private final String name;
    private final HeldJob job;
    private final HeapAccount heap;
    private final OutputRoom room;

    /** Until the commit. */
    private NavigableSet<HeldPiece> arrived = new TreeSet<>(HeldPiece.ORDER);

    /** What the parts of a commit have listed; null before the first one and after the last. */
    private ListedSegments listed;

    /** Null until the commit. */
    private HeldSegments committed;

    /** What it takes of the heap's account. */
    private long charged;

    /** What its job's sum has of it. */
    private long counted;

    /** When a client last did something with it, in nanoseconds. */
    private long touchedNanos = System.nanoTime();

    private boolean dropped;

    /** Whether a read of a file that holds some of it has failed. */
    private volatile boolean fileFailed;

    /** One is that of the store that lists it. */
    private int references = 1;

    /**
     * Creates an output without bytes.
     *
     * @param overflowOrNull where pieces go that the memory has no room for
     */
    HeldOutput(
            final HeldJob job,
            final String jobId,
            final String name,
            final SegmentMemory memory,
            final OverflowStore overflowOrNull) {
        this.job = job;
        this.name = name;
        this.heap = memory.heap();
        this.room = new OutputRoom(jobId, memory, overflowOrNull);
    }

    /** Says that a read of its file has failed: pieces are read before they are promised. */
    void fileFailed() {
        fileFailed = true;
    }

    /** Whether pieces may be sent from its file. */
    boolean sendsFile() {
        return !fileFailed;
    }

    // ---- references ----------------------------------------------------------------------------

    synchronized void retain() {
        references++;
    }

    synchronized void release() {
        references--;
        if (references == 0) {
            room.free();
            discharge(charged);
            count();
        }
    }

    /** Has the sum of its job follow. */
    private void count() {
        final long now = room.used() + charged;
        job.add(now - counted);
        counted = now;
    }

    private boolean charge(final long bytes) {
        if (!heap.charge(bytes)) {
            return false;
        }
        charged += bytes;
        return true;
    }

    private void discharge(final long bytes) {
        heap.discharge(bytes);
        charged -= bytes;
    }

    /** It is not listed any more. */
    synchronized void drop() {
        dropped = true;
        release();
    }

    /** Whether it is listed, holds nothing, and nothing is on its way. */
    synchronized boolean isUnused() {
        return !dropped
                && references == 1
                && committed == null
                && listed == null
                && arrived.isEmpty();
    }

    /** Whether it is not committed, nothing is on its way, and nothing came since a time. */
    synchronized boolean isIdleSince(final long nanos) {
        return !dropped && references == 1 && committed == null && touchedNanos - nanos <= 0;
    }

    synchronized boolean isCommitted() {
        return committed != null;
    }

    /** What it takes of memory, files and heap, in bytes. */
    synchronized long used() {
        return room.used() + charged;
    }

    // ---- in ------------------------------------------------------------------------------------

    /** As {@link SegmentSink#begin}; the piece holds a reference until it ends. */
    synchronized SegmentSink.Piece begin(
            final SegmentId id, final long offset, final int length, final int checksum)
            throws FetchException {
        requireLive();
        touchedNanos = System.nanoTime();
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
        final PieceRoom taken = held ? PieceRoom.NONE : take(length);
        references++;
        return new Landing(id, offset, length, checksum, taken, held);
    }

    /** Room on both accounts: from here on the piece is kept if its bytes come. */
    private PieceRoom take(final int length) throws FetchException {
        if (!job.mayTake(length + HeldPiece.HEAP_BYTES)) {
            throw new FetchException(
                    Reason.FULL, name + ": " + job.fill() + ", expected room for " + length);
        }
        if (!charge(HeldPiece.HEAP_BYTES)) {
            throw full("what is kept about a piece");
        }
        final PieceRoom taken = room.take(length);
        if (taken == null) {
            discharge(HeldPiece.HEAP_BYTES);
            throw full("a piece of " + length + " bytes");
        }
        count();
        return taken;
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
        if (length == 0) {
            return true;
        }
        if (committed == null) {
            return hasArrived(id, offset, length, checksum);
        }
        final int index = committed.find(id.partition(), id.run());
        if (index >= 0 && committed.holds(index, offset, length, checksum)) {
            return true;
        }
        throw new FetchException(
                Reason.CONFLICT,
                id + ": offset=" + offset + ", but " + name + " is committed without it");
    }

    private boolean hasArrived(
            final SegmentId id, final long offset, final int length, final int checksum)
            throws FetchException {
        final HeldPiece there =
                arrived.lower(HeldPiece.before(id.partition(), id.run(), offset + length));
        if (there == null || !there.isOf(id.partition(), id.run()) || there.end() <= offset) {
            return false;
        }
        if (there.offset() == offset && there.length() == length && there.checksum() == checksum) {
            return true;
        }
        throw new FetchException(
                Reason.CONFLICT,
                String.format(
                        "%s: offset=%d length=%d CRC32C=%08x, but offset=%d length=%d CRC32C=%08x"
                                + " was taken before",
                        id,
                        offset,
                        length,
                        checksum,
                        there.offset(),
                        there.length(),
                        there.checksum()));
    }

    private FetchException full(final String what) {
        return new FetchException(Reason.FULL, name + ": no room for " + what + ": " + room.fill());
    }

    private synchronized void add(final Landing piece) throws FetchException {
        requireLive();
        touchedNanos = System.nanoTime();
        final SegmentId id = piece.id;
        if (isHeld(id, piece.offset, piece.length, piece.checksum)) {
            giveBack(piece);
            return;
        }
        arrived.add(
                new HeldPiece(
                        id.partition(),
                        id.run(),
                        piece.offset,
                        piece.length,
                        piece.checksum,
                        piece.taken.position()));
        if (piece.taken.isInFile()) {
            room.written(piece.taken);
        }
    }

    private synchronized void giveBack(final Landing piece) {
        touchedNanos = System.nanoTime();
        if (!piece.held) {
            room.giveBack(piece.taken);
            discharge(HeldPiece.HEAP_BYTES);
            count();
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
            room.write(
                    taken,
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

    /**
     * Takes a part of a commit.
     *
     * @return whether the output is visible: it was the last part, or was visible before
     */
    synchronized boolean commit(final OutputSummary part) throws FetchException {
        requireLive();
        touchedNanos = System.nanoTime();
        if (committed != null) {
            requireSame(part);
            return true;
        }
        list(part);
        if (part.isLast()) {
            complete();
        }
        return committed != null;
    }

    /** A commit that begins anew replaces one that has not ended. */
    private void list(final OutputSummary part) throws FetchException {
        final boolean begins = listed == null || listed.total() != part.total();
        ListedSegments.requireFollows(part, begins ? 0 : listed.count());
        if (begins) {
            forgetListed();
            listed = newList(part.total());
        }
        try {
            listed.add(part);
        } catch (final FetchException e) {
            forgetListed();
            throw e;
        }
    }

    private ListedSegments newList(final int total) throws FetchException {
        final long bytes = ListedSegments.heapBytes(total);
        requireShare(bytes, total);
        if (!charge(bytes)) {
            throw full("a commit of " + total + " segments");
        }
        count();
        return new ListedSegments(name, total);
    }

    /** What its pieces take is given back in the end. */
    private void requireShare(final long bytes, final int segments) throws FetchException {
        final long more = bytes - (long) HeldPiece.HEAP_BYTES * arrived.size();
        if (more > 0 && !job.mayTake(more)) {
            throw new FetchException(
                    Reason.FULL,
                    name
                            + ": "
                            + job.fill()
                            + ", expected room for a commit of "
                            + segments
                            + " segments");
        }
    }

    private void forgetListed() {
        if (listed != null) {
            discharge(ListedSegments.heapBytes(listed.total()));
            listed = null;
            count();
        }
    }

    private void complete() throws FetchException {
        try {
            committed = table();
        } finally {
            if (committed == null) {
                forgetListed();
            }
        }
        final int segments = listed.total();
        listed = null;
        discharge(ListedSegments.heapBytes(segments) - ListedSegments.keptBytes(segments));
        discharge((long) HeldPiece.HEAP_BYTES * arrived.size());
        arrived = Collections.emptyNavigableSet();
        count();
    }

    /** It takes over some of the list. */
    private HeldSegments table() throws FetchException {
        final int segments = listed.total();
        final long whole = HeldSegments.heapBytes(segments, arrived.size());
        requireShare(whole - ListedSegments.heapBytes(segments), segments);
        final long bytes = whole - ListedSegments.keptBytes(segments);
        if (!charge(bytes)) {
            throw full("a commit of " + segments + " segments");
        }
        HeldSegments made = null;
        try {
            made = HeldSegments.of(name, listed, arrived, room);
        } finally {
            if (made == null) {
                discharge(bytes);
            }
        }
        return made;
    }

    private void requireSame(final OutputSummary output) throws FetchException {
        if (!committed.areThoseOf(output)) {
            throw new FetchException(
                    Reason.CONFLICT, name + " is committed with other lengths or checksums");
        }
    }

    // ---- out -----------------------------------------------------------------------------------

    /** A committed segment, which holds a reference on this output. */
    synchronized ServedOutput open(final SegmentId id) throws FetchException {
        if (dropped || committed == null) {
            throw new FetchException(Reason.NOT_FOUND, name + " is not here");
        }
        final int index = committed.find(id.partition(), id.run());
        if (index < 0) {
            throw new FetchException(
                    Reason.OUT_OF_RANGE, id + " is not among " + committed.count() + " segments");
        }
        references++;
        return new ServedOutput(this, committed, index);
    }
}
