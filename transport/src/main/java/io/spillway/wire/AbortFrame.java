// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

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
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the output's name in the body: two bytes of length, then text; then the guard. */
    public static final int OUTPUT_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** The shortest body, in bytes. */
    public static final int MIN_BODY_LENGTH = OUTPUT_OFFSET + Short.BYTES + Guard.LENGTH;

    /** The longest body, in bytes. */
    public static final int MAX_BODY_LENGTH = MIN_BODY_LENGTH + OpaqueId.MAX_LENGTH;

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
        FrameHeader.encode(out, FrameType.ABORT, version, MIN_BODY_LENGTH + name.length);
        final int start = out.position();
        out.putLong(requestId);
        Texts.put(out, name);
        Guard.put(out, start);
    }

    /** Reads a body. */
    public static AbortFrame decode(final ByteBuffer body) throws MalformedFrameException {
        Guard.check(FrameType.ABORT, body);
        final FrameReader in = new FrameReader(FrameType.ABORT, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final String output = in.id("output");
        in.int32("guard", Integer.MIN_VALUE, Integer.MAX_VALUE);
        in.end();
        return new AbortFrame(requestId, output);
    }
}
