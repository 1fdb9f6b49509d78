// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameReader;
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

    static final BodyBounds BODY = BodyBounds.EMPTY.plusLong(0, MAX_MESSAGE_LENGTH);

    /** The whole frame. */
    public ByteBuffer encode() {
        return ControlFrameType.REFUSED.writer().message(message, MAX_MESSAGE_LENGTH).finish();
    }

    /** Reads a body. */
    public static NodeRefusal decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = ControlFrameType.REFUSED.reader(body);
        final String message = in.message("message", MAX_MESSAGE_LENGTH);
        in.end();
        return new NodeRefusal(message);
    }
}
