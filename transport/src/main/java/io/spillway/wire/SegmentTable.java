// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.FetchReply;
import io.spillway.transport.OutputSummary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What follows a {@link CommitFrame}: an entry for each segment of the output. */
public final class SegmentTable {
    /** The bytes of an entry up to version 12. */
    private static final int ENTRY_V12 = 3 * Integer.BYTES + 2 * Long.BYTES;

    /** Stands for a number of records, which has four bytes without a sign since version 13. */
    private static final int UNKNOWN_RECORDS = -1;

    private static final long MAX_RECORDS = 0xFFFF_FFFEL;

    /** The most entries after one frame: about 16 MiB. */
    public static final int MAX_SEGMENTS = 1 << 19;

    /** The most entries of all parts of a table. */
    public static final int MAX_TOTAL = 1 << 24;

    /** So many entries go into a part, since version 13: 1 MiB. */
    private static final int PART_SEGMENTS = 1 << 15;

    private SegmentTable() {}

    /** The bytes of an entry. */
    public static int entryLength(final int version) {
        return hasRecords(version) ? ENTRY_V12 + Integer.BYTES : ENTRY_V12;
    }

    private static boolean hasRecords(final int version) {
        return version >= FrameType.V13;
    }

    /** Whether a table may come in parts. */
    static boolean hasParts(final int version) {
        return version >= FrameType.V13;
    }

    /**
     * The most entries of one part of a table, for a node that takes so many bytes at a time. Up to
     * version 12 that is the whole table.
     */
    public static int mostOfPart(final int version, final int maxBytes) {
        return Math.min(
                hasParts(version) ? PART_SEGMENTS : MAX_SEGMENTS, maxBytes / entryLength(version));
    }

    /** The most entries of a whole table, for a node that takes so many bytes at a time. */
    public static int most(final int version, final int maxBytes) {
        final int ofPart = mostOfPart(version, maxBytes);
        return ofPart > 0 && hasParts(version) ? MAX_TOTAL : ofPart;
    }

    /**
     * Writes a table into a new buffer.
     *
     * @throws IllegalArgumentException for more than {@link #MAX_SEGMENTS}
     */
    public static ByteBuffer encode(final List<OutputSummary.Segment> segments, final int version) {
        if (segments.size() > MAX_SEGMENTS) {
            throw new IllegalArgumentException(
                    "segments=" + segments.size() + ", expected 0 to " + MAX_SEGMENTS);
        }
        final ByteBuffer out = ByteBuffer.allocate(segments.size() * entryLength(version));
        for (final OutputSummary.Segment segment : segments) {
            out.putInt(segment.partition()).putInt(segment.run());
            out.putLong(segment.partLength()).putLong(segment.rawLength());
            out.putInt(segment.checksum());
            if (hasRecords(version)) {
                out.putInt(codeOf(segment.records()));
            }
        }
        return out.flip();
    }

    private static int codeOf(final long records) {
        return records < 0 || records > MAX_RECORDS ? UNKNOWN_RECORDS : (int) records;
    }

    private static long records(final FrameReader in, final int version)
            throws MalformedFrameException {
        final int code = hasRecords(version) ? in.int32("records") : UNKNOWN_RECORDS;
        return code == UNKNOWN_RECORDS ? FetchReply.UNKNOWN_RECORDS : Integer.toUnsignedLong(code);
    }

    /** Reads a table: all that remains of {@code in}. */
    public static List<OutputSummary.Segment> decode(final ByteBuffer in, final int version)
            throws MalformedFrameException {
        final FrameReader reader = new FrameReader(FrameType.COMMIT, in);
        final List<OutputSummary.Segment> segments =
                new ArrayList<>(in.remaining() / entryLength(version));
        while (in.hasRemaining()) {
            segments.add(
                    new OutputSummary.Segment(
                            reader.int32("partition", 0, Integer.MAX_VALUE),
                            reader.int32("run", 0, Integer.MAX_VALUE),
                            reader.int64("partLength", 0),
                            reader.int64("rawLength", 0),
                            reader.int32("checksum"),
                            records(reader, version)));
        }
        return segments;
    }
}
