// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.SegmentId;
import java.nio.ByteBuffer;

/**
 * Brings a piece of a segment; its bytes follow the frame.
 *
 * @param requestId chosen by the client, comes back with the answer
 * @param segment what the piece is of
 * @param offset where the piece starts in the segment
 * @param length the bytes that follow
 * @param checksum the CRC32C of the bytes that follow
 */
public record PutFrame(long requestId, SegmentId segment, long offset, int length, int checksum)
        implements WriteFrame {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the partition in the body. */
    public static final int PARTITION_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the run in the body. */
    public static final int RUN_OFFSET = PARTITION_OFFSET + Integer.BYTES;

    /** Offset of the piece's start in the body. */
    public static final int OFFSET_OFFSET = RUN_OFFSET + Integer.BYTES;

    /** Offset of the length of the bytes that follow. */
    public static final int LENGTH_OFFSET = OFFSET_OFFSET + Long.BYTES;

    /** Offset of the checksum of the bytes that follow. */
    public static final int CHECKSUM_OFFSET = LENGTH_OFFSET + Integer.BYTES;

    /** Offset of the output's name in the body: two bytes of length, then text; then the guard. */
    public static final int OUTPUT_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** The shortest body, in bytes. */
    public static final int MIN_BODY_LENGTH = OUTPUT_OFFSET + Short.BYTES + Guard.LENGTH;

    /** The longest body, in bytes. */
    public static final int MAX_BODY_LENGTH = MIN_BODY_LENGTH + OpaqueId.MAX_LENGTH;

    /** The longest encoding, header included. */
    public static final int MAX_LENGTH = FrameHeader.LENGTH + MAX_BODY_LENGTH;

    @Override
    public int payloadLength() {
        return length;
    }

    @Override
    public void encode(final ByteBuffer out, final int version) {
        final byte[] name = Texts.id("output", segment.output());
        FrameHeader.encode(out, FrameType.PUT, version, MIN_BODY_LENGTH + name.length);
        final int start = out.position();
        out.putLong(requestId).putInt(segment.partition()).putInt(segment.run());
        out.putLong(offset).putInt(length).putInt(checksum);
        Texts.put(out, name);
        Guard.put(out, start);
    }

    /** Reads a body. */
    public static PutFrame decode(final ByteBuffer body) throws MalformedFrameException {
        Guard.check(FrameType.PUT, body);
        final FrameReader in = new FrameReader(FrameType.PUT, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int partition = in.int32("partition", 0, Integer.MAX_VALUE);
        final int run = in.int32("run", 0, Integer.MAX_VALUE);
        final long offset = in.int64("offset", 0);
        final int length = in.int32("length", 0, Integer.MAX_VALUE);
        final int checksum = in.int32("checksum", Integer.MIN_VALUE, Integer.MAX_VALUE);
        final String output = in.id("output");
        in.int32("guard", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.end();
        if (length > Long.MAX_VALUE - offset) {
            throw MalformedFrameException.of(
                    FrameType.PUT, "offset", offset, "0 to " + (Long.MAX_VALUE - length));
        }
        final SegmentId segment = new SegmentId(output, partition, run);
        return new PutFrame(requestId, segment, offset, length, checksum);
    }
}
