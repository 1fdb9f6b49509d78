package io.spillway.wire.write;

import io.spillway.transport.OpaqueId;
import io.spillway.wire.FrameHeader;
import io.spillway.wire.FrameReader;
import io.spillway.wire.FrameType;
import io.spillway.wire.Guard;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.Texts;
import java.nio.ByteBuffer;

/**
 * Says that an output is whole; a {@link SegmentTable} of its segments follows the frame.
 *
 * @param requestId chosen by the client, comes back with the answer
 * @param segments the entries of the table, 0 to {@link SegmentTable#MAX_SEGMENTS}
 * @param payloadLength the bytes of the table, which the version of the session gives
 * @param checksum the CRC32C of the table
 * @param output the name of the output
 */
public record CommitFrame(
        long requestId, int segments, int payloadLength, int checksum, String output)
        implements WriteFrame {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the number of segments in the body. */
    public static final int SEGMENTS_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the table's checksum in the body. */
    public static final int CHECKSUM_OFFSET = SEGMENTS_OFFSET + Integer.BYTES;

    /** Offset of the output's name in the body: two bytes of length, then text; then the guard. */
    public static final int OUTPUT_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** The shortest body, in bytes. */
    public static final int MIN_BODY_LENGTH = OUTPUT_OFFSET + Short.BYTES + Guard.LENGTH;

    /** The longest body, in bytes. */
    public static final int MAX_BODY_LENGTH = MIN_BODY_LENGTH + OpaqueId.MAX_LENGTH;

    /** The frame before a table of this version. */
    public static CommitFrame of(
            final long requestId,
            final int segments,
            final int checksum,
            final String output,
            final int version) {
        return new CommitFrame(
                requestId,
                segments,
                segments * SegmentTable.entryLength(version),
                checksum,
                output);
    }

    @Override
    public void encode(final ByteBuffer out, final int version) {
        final byte[] name = Texts.id("output", output);
        FrameHeader.encode(out, FrameType.COMMIT, version, MIN_BODY_LENGTH + name.length);
        final int start = out.position();
        out.putLong(requestId).putInt(segments).putInt(checksum);
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
        final String output = in.id("output");
        in.int32("guard", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.end();
        return of(requestId, segments, checksum, output, version);
    }
}
