// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.transport.OpaqueId;
import java.nio.ByteBuffer;

/**
 * Says that an output will never be whole: the node may forget its bytes.
 *
 * @param requestId chosen by the client, comes back with the answer
 * @param output the name of the output
 */
public record AbortFrame(long requestId, String output) implements WriteFrame {
    static final BodyBounds BODY =
            BodyBounds.of(Long.BYTES + Guard.LENGTH).plusShort(0, OpaqueId.MAX_LENGTH);

    @Override
    public int payloadLength() {
        return 0;
    }

    @Override
    public int checksum() {
        return 0;
    }

    @Override
    public void encode(final ByteBuffer out, final int version) {
        final byte[] name = Texts.id("output", output);
        final int start = FrameHeader.begin(out, FrameType.ABORT, version);
        out.putLong(requestId);
        Texts.put(out, name);
        Guard.put(out, start);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static AbortFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = Guard.reader(FrameType.ABORT, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final String output = in.id("output");
        in.end();
        return new AbortFrame(requestId, output);
    }
}
