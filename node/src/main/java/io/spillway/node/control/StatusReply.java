// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The node process's status.
 *
 * @param json one object; no secret is in it
 */
public record StatusReply(String json) {
    /** The longest status, in bytes. */
    public static final int MAX_LENGTH = 4 << 20;

    static final BodyBounds BODY = BodyBounds.EMPTY.plusLong(0, MAX_LENGTH);

    /** The whole frame. */
    public ByteBuffer encode() {
        final byte[] text = json.getBytes(StandardCharsets.UTF_8);
        return ControlFrameType.STATUS_REPORT.writer().block("json", text, 0, MAX_LENGTH).finish();
    }

    /** Reads a body. */
    public static StatusReply decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = ControlFrameType.STATUS_REPORT.reader(body);
        final byte[] text = in.block("json", 0, MAX_LENGTH);
        in.end();
        return new StatusReply(new String(text, StandardCharsets.UTF_8));
    }
}
