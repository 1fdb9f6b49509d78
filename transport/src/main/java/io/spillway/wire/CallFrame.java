// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;

/**
 * Asks the node's {@link io.spillway.transport.serve.NodeService} something; the bytes of the
 * question follow the frame, and an {@link AnswerFrame} or a {@link FailedFrame} is the answer.
 *
 * @param requestId chosen by the client, comes back with the answer
 * @param length the bytes that follow, 0 to {@link #MAX_LENGTH_OF_CALL}
 * @param checksum the CRC32C of the bytes that follow
 */
public record CallFrame(long requestId, int length, int checksum) implements WriteFrame {
    /** The longest question, and the longest answer, in bytes. */
    public static final int MAX_LENGTH_OF_CALL = 1 << 20;

    /** The most calls of one connection without an answer, on either side of it. */
    public static final int MAX_CALLS = 8;

    static final BodyBounds BODY = BodyBounds.of(Long.BYTES + 2 * Integer.BYTES + Guard.LENGTH);

    @Override
    public int payloadLength() {
        return length;
    }

    @Override
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.CALL, version);
        out.putLong(requestId).putInt(length).putInt(checksum);
        Guard.put(out, start);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static CallFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = Guard.reader(FrameType.CALL, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int length = in.int32("length", 0, MAX_LENGTH_OF_CALL);
        final int checksum = in.int32("checksum");
        in.end();
        return new CallFrame(requestId, length, checksum);
    }
}
