// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

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

    static final int MIN_BODY_LENGTH = Integer.BYTES;
    static final int MAX_BODY_LENGTH = MIN_BODY_LENGTH + MAX_LENGTH;

    /** The whole frame. */
    public ByteBuffer encode() {
        final byte[] text = json.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer out = ControlFrameType.STATUS_REPORT.allocate(ControlTexts.lengthOf(text));
        ControlTexts.put(out, text);
        return out.flip();
    }

    /** Reads a body. */
    public static StatusReply decode(final ByteBuffer body) throws MalformedFrameException {
        final ControlReader in = new ControlReader(ControlFrameType.STATUS_REPORT, body);
        final byte[] text = in.bytes("json", 0, MAX_LENGTH);
        in.end();
        return new StatusReply(new String(text, StandardCharsets.UTF_8));
    }
}
