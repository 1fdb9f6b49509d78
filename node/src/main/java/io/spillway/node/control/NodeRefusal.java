// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;

/**
 * The node process does not serve this connection; it closes after this frame.
 *
 * @param message why, for people
 */
public record NodeRefusal(String message) {
    /** The longest message, in bytes; a longer one is cut. */
    public static final int MAX_MESSAGE_LENGTH = 512;

    static final int MIN_BODY_LENGTH = Integer.BYTES;
    static final int MAX_BODY_LENGTH = MIN_BODY_LENGTH + MAX_MESSAGE_LENGTH;

    /** The whole frame. */
    public ByteBuffer encode() {
        final byte[] text = ControlTexts.message(message, MAX_MESSAGE_LENGTH);
        final ByteBuffer out = ControlFrameType.REFUSED.allocate(ControlTexts.lengthOf(text));
        ControlTexts.put(out, text);
        return out.flip();
    }

    /** Reads a body. */
    public static NodeRefusal decode(final ByteBuffer body) throws MalformedFrameException {
        final ControlReader in = new ControlReader(ControlFrameType.REFUSED, body);
        final String message = in.text("message", 0, MAX_MESSAGE_LENGTH);
        in.end();
        return new NodeRefusal(message);
    }
}
