// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
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
    static final BodyBounds BODY =
            BodyBounds.of(2 * Long.BYTES + 4 * Integer.BYTES + Guard.LENGTH)
                    .plusShort(0, OpaqueId.MAX_LENGTH);

    /** The longest encoding of all {@link WriteFrame}s, header included. */
    public static final int MAX_LENGTH = FrameHeader.LENGTH + BODY.most();

    @Override
    public int payloadLength() {
        return length;
    }

    @Override
    public void encode(final ByteBuffer out, final int version) {
        final byte[] name = Texts.id("output", segment.output());
        final int start = FrameHeader.begin(out, FrameType.PUT, version);
        out.putLong(requestId).putInt(segment.partition()).putInt(segment.run());
        out.putLong(offset).putInt(length).putInt(checksum);
        Texts.put(out, name);
        Guard.put(out, start);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static PutFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = Guard.reader(FrameType.PUT, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int partition = in.int32("partition", 0, Integer.MAX_VALUE);
        final int run = in.int32("run", 0, Integer.MAX_VALUE);
        final long offset = in.int64("offset", 0);
        final int length = in.int32("length", 0, Integer.MAX_VALUE);
        final int checksum = in.int32("checksum");
        final String output = in.id("output");
        in.end();
        if (length > Long.MAX_VALUE - offset) {
            throw MalformedFrameException.of(
                    FrameType.PUT, "offset", offset, "0 to " + (Long.MAX_VALUE - length));
        }
        final SegmentId segment = new SegmentId(output, partition, run);
        return new PutFrame(requestId, segment, offset, length, checksum);
    }
}
