// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.checksum.Crc32cMath;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchReply;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;

/**
 * The segments of a committed output and their pieces, in arrays: an output of many short segments
 * takes few bytes of the heap for each. Segments lie by partition and run, the pieces of each by
 * offset. Immutable once it is made.
 */
final class HeldSegments {
    private static final int SEGMENT_BYTES = 3 * Long.BYTES + Integer.BYTES;
    private static final int PIECE_BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;

    /** The object and the headers of its arrays. */
    private static final int OVERHEAD = 192;

    private final String output;
    private final OutputRoom room;

    /** Partition and run of each segment. */
    private final long[] keys;

    /** The index of each segment's first piece, and at the end the number of all. */
    private final int[] firstPieces;

    private final long[] rawLengths;
    private final long[] records;
    private final long[] offsets;
    private final int[] lengths;
    private final int[] checksums;
    private final long[] positions;

    private HeldSegments(
            final String output,
            final OutputRoom room,
            final ListedSegments listed,
            final int pieces) {
        this.output = output;
        this.room = room;
        keys = listed.keys;
        firstPieces = new int[keys.length + 1];
        rawLengths = listed.rawLengths;
        records = listed.records;
        offsets = new long[pieces];
        lengths = new int[pieces];
        checksums = new int[pieces];
        positions = new long[pieces];
    }

    /** What such a table takes of the heap, in bytes. */
    static long heapBytes(final int segments, final int pieces) {
        return OVERHEAD + (long) segments * SEGMENT_BYTES + (long) pieces * PIECE_BYTES;
    }

    // ---- commit --------------------------------------------------------------------------------

    /**
     * Makes the table of an output of which all pieces are there.
     *
     * @param listed all segments; it belongs to the table from here on
     * @param arrived by {@link HeldPiece#ORDER}
     * @param room where their bytes are
     * @throws FetchException with {@code INCOMPLETE}, {@code CONFLICT} or {@code OUT_OF_RANGE}
     *     where the pieces are not those of the summary
     */
    static HeldSegments of(
            final String output,
            final ListedSegments listed,
            final NavigableSet<HeldPiece> arrived,
            final OutputRoom room)
            throws FetchException {
        final HeldSegments table = new HeldSegments(output, room, listed, arrived.size());
        final Iterator<HeldPiece> pieces = arrived.iterator();
        HeldPiece next = nextOrNull(pieces);
        int piece = 0;
        for (int i = 0; i < table.keys.length; i++) {
            table.begin(i, piece);
            while (next != null && next.isOf(table.partitionOf(i), table.runOf(i))) {
                table.set(piece++, next);
                next = nextOrNull(pieces);
            }
            table.firstPieces[i + 1] = piece;
            table.requireWhole(i, listed.partLengths[i], listed.checksums[i]);
        }
        if (piece < arrived.size()) {
            throw table.unlisted(arrived);
        }
        return table;
    }

    private static HeldPiece nextOrNull(final Iterator<HeldPiece> pieces) {
        return pieces.hasNext() ? pieces.next() : null;
    }

    private void begin(final int index, final int piece) throws FetchException {
        firstPieces[index] = piece;
        final boolean follows =
                index > 0
                        && keys[index] == keys[index - 1] + 1
                        && partitionOf(index) == partitionOf(index - 1);
        if (runOf(index) > 0 && !follows) {
            throw new FetchException(
                    Reason.OUT_OF_RANGE,
                    id(index) + ": run=" + runOf(index) + ", but the commit has no run before it");
        }
    }

    private void set(final int index, final HeldPiece piece) {
        offsets[index] = piece.offset();
        lengths[index] = piece.length();
        checksums[index] = piece.checksum();
        positions[index] = piece.position();
    }

    /** Checks that all bytes of a segment are here, and no others. */
    private void requireWhole(final int index, final long partLength, final int crc)
            throws FetchException {
        long end = 0;
        for (int p = firstPieces[index]; p < firstPieces[index + 1] && offsets[p] == end; p++) {
            end += lengths[p];
        }
        if (end < partLength) {
            throw new FetchException(
                    Reason.INCOMPLETE,
                    id(index) + ": no byte at offset=" + end + " of " + partLength);
        }
        final int checksum = checksumOf(index);
        if (partLength(index) > partLength || checksum != crc) {
            throw new FetchException(
                    Reason.CONFLICT,
                    String.format(
                            "%s: length=%d CRC32C=%08x, but the commit says length=%d CRC32C=%08x",
                            id(index), partLength(index), checksum, partLength, crc));
        }
    }

    private FetchException unlisted(final NavigableSet<HeldPiece> arrived) {
        for (final HeldPiece piece : arrived) {
            if (find(piece.partition(), piece.run()) < 0) {
                return new FetchException(
                        Reason.CONFLICT,
                        new SegmentId(output, piece.partition(), piece.run())
                                + " has bytes here, but is not in the commit");
            }
        }
        throw new IllegalStateException(output + ": pieces are out of order");
    }

    /** Whether a summary, or a part of one, lists these segments. */
    boolean areThoseOf(final OutputSummary other) {
        return other.total() == keys.length && other.segments().stream().allMatch(this::isHere);
    }

    private boolean isHere(final OutputSummary.Segment listed) {
        final int index = find(listed.partition(), listed.run());
        return index >= 0
                && partLength(index) == listed.partLength()
                && rawLengths[index] == listed.rawLength()
                && records[index] == listed.records()
                && checksumOf(index) == listed.checksum();
    }

    private int checksumOf(final int index) {
        int checksum = 0;
        for (int p = firstPieces[index]; p < firstPieces[index + 1]; p++) {
            checksum = Crc32cMath.combine(checksum, checksums[p], lengths[p]);
        }
        return checksum;
    }

    // ---- segments ------------------------------------------------------------------------------

    int count() {
        return keys.length;
    }

    /** The index of a segment; negative where the output has none such. */
    int find(final int partition, final int run) {
        return Arrays.binarySearch(keys, key(partition, run));
    }

    static long key(final int partition, final int run) {
        return (long) partition << Integer.SIZE | run;
    }

    private int partitionOf(final int index) {
        return (int) (keys[index] >> Integer.SIZE);
    }

    private int runOf(final int index) {
        return (int) keys[index];
    }

    private SegmentId id(final int index) {
        return new SegmentId(output, partitionOf(index), runOf(index));
    }

    /** How many runs the partition of a segment has. */
    int runs(final int index) {
        final int first = find(partitionOf(index), 0);
        int end = index + 1;
        while (end < keys.length && partitionOf(end) == partitionOf(index)) {
            end++;
        }
        return end - first;
    }

    long rawLength(final int index) {
        return rawLengths[index];
    }

    long records(final int index) {
        return records[index];
    }

    long partLength(final int index) {
        final int last = firstPieces[index + 1] - 1;
        return last < firstPieces[index] ? 0 : offsets[last] + lengths[last];
    }

    /** Whether some of a segment is in a file. */
    boolean isInFile(final int index) {
        for (int p = firstPieces[index]; p < firstPieces[index + 1]; p++) {
            if (OutputRoom.isInFile(positions[p])) {
                return true;
            }
        }
        return false;
    }

    /** Whether exactly this piece of a segment is here. */
    boolean holds(final int index, final long offset, final int length, final int checksum) {
        final int piece =
                Arrays.binarySearch(offsets, firstPieces[index], firstPieces[index + 1], offset);
        return piece >= 0 && lengths[piece] == length && checksums[piece] == checksum;
    }

    // ---- bytes ---------------------------------------------------------------------------------

    /** The CRC32C of a range, where it is of whole pieces; else {@code NO_CHECKSUM}. */
    long checksum(final int index, final long offset, final int length) {
        final int first =
                Arrays.binarySearch(offsets, firstPieces[index], firstPieces[index + 1], offset);
        if (first < 0) {
            return length == 0 ? 0 : FetchReply.NO_CHECKSUM;
        }
        final long end = offset + length;
        long at = offset;
        int checksum = 0;
        for (int p = first; p < firstPieces[index + 1] && at < end; p++) {
            checksum = Crc32cMath.combine(checksum, checksums[p], lengths[p]);
            at += lengths[p];
        }
        return at == end ? Integer.toUnsignedLong(checksum) : FetchReply.NO_CHECKSUM;
    }

    /** The index of the piece that has a byte of the segment. */
    private int pieceAt(final int index, final long offset) {
        final int found =
                Arrays.binarySearch(offsets, firstPieces[index], firstPieces[index + 1], offset);
        return found >= 0 ? found : -found - 2;
    }

    /** The bytes of a range within the segment, where they lie; null where not all of it does. */
    List<ByteBuffer> bytes(final int index, final long offset, final int length) {
        final List<ByteBuffer> found = new ArrayList<>();
        final long end = offset + length;
        long at = offset;
        for (int p = length == 0 ? 0 : pieceAt(index, offset); at < end; p++) {
            if (OutputRoom.isInFile(positions[p])) {
                return null;
            }
            final long until = Math.min(end, offsets[p] + lengths[p]);
            room.addBytes(positions[p] + at - offsets[p], (int) (until - at), found);
            at = until;
        }
        return found;
    }

    /** The file where a range lies in one; null where it does not. */
    SegmentFile file(final int index, final long offset, final int length) {
        SegmentFile found = null;
        final long end = offset + length;
        long at = offset;
        for (int p = length == 0 ? 0 : pieceAt(index, offset); at < end; p++) {
            final SegmentFile here = fileOrNull(p);
            if (here == null || (found != null && !found.equals(here))) {
                return null;
            }
            found = here;
            at = offsets[p] + lengths[p];
        }
        return found;
    }

    private SegmentFile fileOrNull(final int piece) {
        return OutputRoom.isInFile(positions[piece])
                ? room.file(positions[piece], offsets[piece])
                : null;
    }

    /** Copies a range from where it lies. May wait for a disk. */
    void read(final int index, final long offset, final ByteBuffer destination) throws IOException {
        final int limit = destination.limit();
        final long end = offset + destination.remaining();
        long at = offset;
        for (int p = at == end ? 0 : pieceAt(index, offset); at < end; p++) {
            final long until = Math.min(end, offsets[p] + lengths[p]);
            final SegmentFile file = fileOrNull(p);
            if (file == null) {
                final List<ByteBuffer> found = new ArrayList<>();
                room.addBytes(positions[p] + at - offsets[p], (int) (until - at), found);
                found.forEach(destination::put);
            } else {
                destination.limit(destination.position() + (int) (until - at));
                file.read(at, destination);
                destination.limit(limit);
            }
            at = until;
        }
    }
}
