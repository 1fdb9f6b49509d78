// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.OutputSummary;
import java.nio.ByteBuffer;

/**
 * Says that an output is whole; a {@link SegmentTable} of its segments, or a part of it, follows
 * the frame.
 *
 * @param requestId chosen by the client, comes back with the answer
 * @param segments the entries that follow, 0 to {@link SegmentTable#MAX_SEGMENTS}
 * @param first the entries of all parts before
 * @param total the entries of all parts, at most {@link SegmentTable#MAX_TOTAL}
 * @param payloadLength the bytes of the table, which the version of the session gives
 * @param checksum the CRC32C of the table
 * @param output the name of the output
 */
public record CommitFrame(
        long requestId,
        int segments,
        int first,
        int total,
        int payloadLength,
        int checksum,
        String output)
        implements WriteFrame {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the number of segments in the body. */
    public static final int SEGMENTS_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the table's checksum in the body. */
    public static final int CHECKSUM_OFFSET = SEGMENTS_OFFSET + Integer.BYTES;

    /**
     * Offset of the number of entries before in the body, since version 13. The number of all
     * follows. Up to version 12 the output's name does.
     */
    public static final int FIRST_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** Offset of the number of all entries in the body. */
    public static final int TOTAL_OFFSET = FIRST_OFFSET + Integer.BYTES;

    /** Offset of the output's name in the body: two bytes of length, then text; then the guard. */
    public static final int OUTPUT_OFFSET = TOTAL_OFFSET + Integer.BYTES;

    /** The shortest body, in bytes. */
    public static final int MIN_BODY_LENGTH = FIRST_OFFSET + Short.BYTES + Guard.LENGTH;

    /** The longest body, in bytes. */
    public static final int MAX_BODY_LENGTH =
            OUTPUT_OFFSET + Short.BYTES + Guard.LENGTH + OpaqueId.MAX_LENGTH;

    /**
     * The frame before a part of a table.
     *
     * @param checksum the CRC32C of what follows
     * @throws IllegalArgumentException for a part in a version that has none
     */
    public static CommitFrame of(
            final long requestId, final OutputSummary part, final int checksum, final int version) {
        final int segments = part.segments().size();
        if (segments != part.total() && !SegmentTable.hasParts(version)) {
            throw new IllegalArgumentException(
                    "segments="
                            + segments
                            + " of "
                            + part.total()
                            + ", expected all in version "
                            + version);
        }
        return new CommitFrame(
                requestId,
                segments,
                part.first(),
                part.total(),
                segments * SegmentTable.entryLength(version),
                checksum,
                part.output());
    }

    @Override
    public void encode(final ByteBuffer out, final int version) {
        final byte[] name = Texts.id("output", output);
        final boolean hasParts = SegmentTable.hasParts(version);
        final int nameOffset = hasParts ? OUTPUT_OFFSET : FIRST_OFFSET;
        FrameHeader.encode(
                out,
                FrameType.COMMIT,
                version,
                nameOffset + Short.BYTES + name.length + Guard.LENGTH);
        final int start = out.position();
        out.putLong(requestId).putInt(segments).putInt(checksum);
        if (hasParts) {
            out.putInt(first).putInt(total);
        }
        Texts.put(out, name);
        Guard.put(out, start);
    }

    /** Reads a body. */
    public static CommitFrame decode(final ByteBuffer body, final int version)
            throws MalformedFrameException {
        Guard.check(FrameType.COMMIT, body);
        final FrameReader in = new FrameReader(FrameType.COMMIT, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int segments = in.int32("segments", 0, SegmentTable.MAX_SEGMENTS);
        final int checksum = in.int32("checksum", Integer.MIN_VALUE, Integer.MAX_VALUE);
        final boolean hasParts = SegmentTable.hasParts(version);
        final int first = hasParts ? in.int32("first", 0, SegmentTable.MAX_TOTAL - segments) : 0;
        final int total =
                hasParts ? in.int32("total", first + segments, SegmentTable.MAX_TOTAL) : segments;
        final String output = in.id("output");
        in.int32("guard", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.end();
        return new CommitFrame(
                requestId,
                segments,
                first,
                total,
                segments * SegmentTable.entryLength(version),
                checksum,
                output);
    }
}
