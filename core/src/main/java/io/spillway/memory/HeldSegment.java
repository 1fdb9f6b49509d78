package io.spillway.memory;

import io.spillway.ifile.Crc32cMath;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchReply;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The pieces of one segment, by their offsets; no two overlap. Used under its output's lock until
 * the output is committed, and by any thread from then on, for it changes no more.
 */
final class HeldSegment {
    /**
     * Bytes that have arrived.
     *
     * @param memory where they lie; empty where they are in a file
     * @param range of that file; null where they are in memory
     */
    record Bytes(long offset, int length, int checksum, List<ByteBuffer> memory, FileRange range) {
        Bytes(final long offset, final int checksum, final PieceRoom room) {
            this(
                    offset,
                    room.length(),
                    checksum,
                    room.isInFile() ? List.of() : room.memory(),
                    room.range());
        }

        long end() {
            return offset + length;
        }
    }

    private final SegmentId id;
    private final NavigableMap<Long, Bytes> pieces = new TreeMap<>();
    private boolean inFile;

    HeldSegment(final SegmentId id) {
        this.id = id;
    }

    /**
     * Whether exactly this piece is here.
     *
     * @throws FetchException with {@code CONFLICT} where other bytes are in its place
     */
    boolean holds(final long offset, final int length, final int checksum) throws FetchException {
        final Map.Entry<Long, Bytes> before = pieces.lowerEntry(offset + length);
        if (before == null || before.getValue().end() <= offset) {
            return false;
        }
        final Bytes there = before.getValue();
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

    void add(final Bytes piece) {
        pieces.put(piece.offset(), piece);
        inFile |= piece.range() != null;
    }

    /** Whether some of it is in a file. */
    boolean isInFile() {
        return inFile;
    }

    boolean isEmpty() {
        return pieces.isEmpty();
    }

    /** Checks that all bytes of a segment are here, and no others. */
    void requireWhole(final OutputSummary.Segment summary) throws FetchException {
        long end = 0;
        int checksum = 0;
        for (final Bytes piece : pieces.values()) {
            if (piece.offset() != end) {
                break;
            }
            checksum = Crc32cMath.combine(checksum, piece.checksum(), piece.length());
            end = piece.end();
        }
        if (end < summary.partLength()) {
            throw new FetchException(
                    Reason.INCOMPLETE,
                    id + ": no byte at offset=" + end + " of " + summary.partLength());
        }
        final long last = pieces.isEmpty() ? 0 : pieces.lastEntry().getValue().end();
        if (last > summary.partLength() || checksum != summary.checksum()) {
            throw new FetchException(
                    Reason.CONFLICT,
                    String.format(
                            "%s: length=%d CRC32C=%08x, but the commit says length=%d CRC32C=%08x",
                            id, last, checksum, summary.partLength(), summary.checksum()));
        }
    }

    /** The CRC32C of a range, where it is of whole pieces; else {@code NO_CHECKSUM}. */
    long checksum(final long offset, final int length) {
        long end = offset;
        int checksum = 0;
        for (final Bytes piece : pieces.tailMap(offset).values()) {
            if (piece.offset() != end || end == offset + length) {
                break;
            }
            checksum = Crc32cMath.combine(checksum, piece.checksum(), piece.length());
            end = piece.end();
        }
        return end == offset + length ? Integer.toUnsignedLong(checksum) : FetchReply.NO_CHECKSUM;
    }

    /** The bytes of a range within the segment, where they lie; null where not all of it does. */
    List<ByteBuffer> bytes(final long offset, final int length) {
        final List<ByteBuffer> found = new ArrayList<>();
        for (final Bytes piece : range(offset, length)) {
            if (piece.range() != null) {
                return null;
            }
            collect(piece, offset, offset + length, found);
        }
        return found;
    }

    /** The file where a range lies in one; null where it does not. */
    SegmentFile file(final long offset, final int length) {
        SegmentFile found = null;
        for (final Bytes piece : range(offset, length)) {
            final SegmentFile here =
                    piece.range() == null ? null : piece.range().of(piece.offset());
            if (here == null || (found != null && !found.equals(here))) {
                return null;
            }
            found = here;
        }
        return found;
    }

    /** Copies a range from where it lies. May wait for a disk. */
    void read(final long offset, final ByteBuffer destination) throws IOException {
        final int limit = destination.limit();
        final long end = offset + destination.remaining();
        long at = offset;
        for (final Bytes piece : range(offset, destination.remaining())) {
            final long until = Math.min(end, piece.end());
            if (piece.range() == null) {
                final List<ByteBuffer> found = new ArrayList<>();
                collect(piece, at, until, found);
                found.forEach(destination::put);
            } else {
                destination.limit(destination.position() + (int) (until - at));
                piece.range().of(piece.offset()).read(at, destination);
                destination.limit(limit);
            }
            at = until;
        }
    }

    private Collection<Bytes> range(final long offset, final int length) {
        return length == 0
                ? List.of()
                : pieces.tailMap(pieces.floorKey(offset)).headMap(offset + length).values();
    }

    private static void collect(
            final Bytes piece, final long start, final long end, final List<ByteBuffer> found) {
        long at = piece.offset();
        for (final ByteBuffer memory : piece.memory()) {
            final int from = (int) Math.max(0, Math.min(memory.capacity(), start - at));
            final int to = (int) Math.max(0, Math.min(memory.capacity(), end - at));
            if (from < to) {
                found.add(memory.slice(from, to - from).asReadOnlyBuffer());
            }
            at += memory.capacity();
        }
    }
}
