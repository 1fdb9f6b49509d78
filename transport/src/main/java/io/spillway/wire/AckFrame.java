// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;

/**
 * Says that a {@link WriteFrame} was done.
 *
 * @param requestId of the request
 * @param guard the request's, as the node has read it: an answer that was damaged on the way fits
 *     no request
 */
public record AckFrame(long requestId, int guard) {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the request's guard in the body. */
    public static final int GUARD_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** The bytes of the body. */
    public static final int BODY_LENGTH = GUARD_OFFSET + Guard.LENGTH;

    /** The bytes of header and body. */
    public static final int FRAME_LENGTH = FrameHeader.LENGTH + BODY_LENGTH;

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        FrameHeader.encode(out, FrameType.ACK, version, BODY_LENGTH);
        out.putLong(requestId).putInt(guard);
    }

    /** Reads a body. */
    public static AckFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.ACK, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int guard = in.int32("guard", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.end();
        return new AckFrame(requestId, guard);
    }
}
