// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

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

    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the length of the bytes that follow. */
    public static final int LENGTH_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the checksum of the bytes that follow; then the guard. */
    public static final int CHECKSUM_OFFSET = LENGTH_OFFSET + Integer.BYTES;

    /** The bytes of the body. */
    public static final int BODY_LENGTH = CHECKSUM_OFFSET + Integer.BYTES + Guard.LENGTH;

    @Override
    public int payloadLength() {
        return length;
    }

    @Override
    public void encode(final ByteBuffer out, final int version) {
        FrameHeader.encode(out, FrameType.CALL, version, BODY_LENGTH);
        final int start = out.position();
        out.putLong(requestId).putInt(length).putInt(checksum);
        Guard.put(out, start);
    }

    /** Reads a body. */
    public static CallFrame decode(final ByteBuffer body) throws MalformedFrameException {
        Guard.check(FrameType.CALL, body);
        final FrameReader in = new FrameReader(FrameType.CALL, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int length = in.int32("length", 0, MAX_LENGTH_OF_CALL);
        final int checksum = in.int32("checksum", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.int32("guard", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.end();
        return new CallFrame(requestId, length, checksum);
    }
}
