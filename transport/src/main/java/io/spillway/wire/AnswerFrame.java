// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The answer to a {@link CallFrame}; its bytes follow the frame.
 *
 * @param requestId of the call
 * @param callGuard the call's guard, as the node has read it: an answer that was damaged on the way
 *     fits no call
 * @param length the bytes that follow, 0 to {@link CallFrame#MAX_LENGTH_OF_CALL}
 * @param checksum the CRC32C of the bytes that follow
 */
public record AnswerFrame(long requestId, int callGuard, int length, int checksum) {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the call's guard in the body. */
    public static final int CALL_GUARD_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the length of the bytes that follow. */
    public static final int LENGTH_OFFSET = CALL_GUARD_OFFSET + Guard.LENGTH;

    /** Offset of the checksum of the bytes that follow; then the guard. */
    public static final int CHECKSUM_OFFSET = LENGTH_OFFSET + Integer.BYTES;

    /** The bytes of the body. */
    public static final int BODY_LENGTH = CHECKSUM_OFFSET + Integer.BYTES + Guard.LENGTH;

    /** The bytes of header and body. */
    public static final int FRAME_LENGTH = FrameHeader.LENGTH + BODY_LENGTH;

    /** The frame before the remaining bytes of {@code answer}, which stay as they are. */
    public static AnswerFrame of(
            final WriteFrame call, final int version, final ByteBuffer answer) {
        return new AnswerFrame(
                call.requestId(), call.guard(version), answer.remaining(), checksumOf(answer));
    }

    /** Whether these bytes, of which none is read, are those that the node has sent. */
    public boolean fits(final ByteBuffer answer) {
        return answer.remaining() == length && checksumOf(answer) == checksum;
    }

    private static int checksumOf(final ByteBuffer bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        FrameHeader.encode(out, FrameType.ANSWER, version, BODY_LENGTH);
        final int start = out.position();
        out.putLong(requestId).putInt(callGuard).putInt(length).putInt(checksum);
        Guard.put(out, start);
    }

    /** Reads a body. */
    public static AnswerFrame decode(final ByteBuffer body) throws MalformedFrameException {
        Guard.check(FrameType.ANSWER, body);
        final FrameReader in = new FrameReader(FrameType.ANSWER, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int callGuard = in.int32("callGuard", Integer.MIN_VALUE, Integer.MAX_VALUE);
        final int length = in.int32("length", 0, CallFrame.MAX_LENGTH_OF_CALL);
        final int checksum = in.int32("checksum", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.int32("guard", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.end();
        return new AnswerFrame(requestId, callGuard, length, checksum);
    }
}
