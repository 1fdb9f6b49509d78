// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
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
    static final BodyBounds BODY =
            BodyBounds.of(Long.BYTES + 2 * Integer.BYTES + Guard.LENGTH)
                    .plus(0, 2 * Integer.BYTES)
                    .plusShort(0, OpaqueId.MAX_LENGTH);

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
        final int start = FrameHeader.begin(out, FrameType.COMMIT, version);
        out.putLong(requestId).putInt(segments).putInt(checksum);
        if (hasParts) {
            out.putInt(first).putInt(total);
        }
        Texts.put(out, name);
        Guard.put(out, start);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static CommitFrame decode(final ByteBuffer body, final int version)
            throws MalformedFrameException {
        final FrameReader in = Guard.reader(FrameType.COMMIT, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int segments = in.int32("segments", 0, SegmentTable.MAX_SEGMENTS);
        final int checksum = in.int32("checksum");
        final boolean hasParts = SegmentTable.hasParts(version);
        final int first = hasParts ? in.int32("first", 0, SegmentTable.MAX_TOTAL - segments) : 0;
        final int total =
                hasParts ? in.int32("total", first + segments, SegmentTable.MAX_TOTAL) : segments;
        final String output = in.id("output");
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
