// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
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
    static final BodyBounds BODY = BodyBounds.of(Long.BYTES + Guard.LENGTH);

    /** The bytes of header and body. */
    public static final int FRAME_LENGTH = FrameHeader.LENGTH + BODY.most();

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.ACK, version);
        out.putLong(requestId).putInt(guard);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static AckFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.ACK, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int guard = in.int32("guard");
        in.end();
        return new AckFrame(requestId, guard);
    }
}
