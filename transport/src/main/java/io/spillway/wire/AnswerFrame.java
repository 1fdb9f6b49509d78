// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
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
    static final BodyBounds BODY = BodyBounds.of(Long.BYTES + 2 * Integer.BYTES + 2 * Guard.LENGTH);

    /** The bytes of header and body. */
    public static final int FRAME_LENGTH = FrameHeader.LENGTH + BODY.most();

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
        final int start = FrameHeader.begin(out, FrameType.ANSWER, version);
        out.putLong(requestId).putInt(callGuard).putInt(length).putInt(checksum);
        Guard.put(out, start);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static AnswerFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = Guard.reader(FrameType.ANSWER, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int callGuard = in.int32("callGuard");
        final int length = in.int32("length", 0, CallFrame.MAX_LENGTH_OF_CALL);
        final int checksum = in.int32("checksum");
        in.end();
        return new AnswerFrame(requestId, callGuard, length, checksum);
    }
}
