// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import java.nio.ByteBuffer;

/**
 * The node serves no connection; it closes after this frame.
 *
 * @param code why
 * @param message why, for people
 */
public record RefusedFrame(Code code, String message) {
    /** Why a connection is refused. */
    public enum Code {
        /** The node speaks another version of the protocol. */
        VERSION(1),
        /** The node does not know the job, or (since version 13) not by the secret proved. */
        UNKNOWN_JOB(2),
        /** The client has dialled another node, or (in version 12) its proof is wrong. */
        UNAUTHORIZED(3),
        /** The node has no room for another connection. */
        BUSY(4);

        private final int onWire;

        Code(final int onWire) {
            this.onWire = onWire;
        }

        static Code of(final int onWire) {
            for (final Code code : values()) {
                if (code.onWire == onWire) {
                    return code;
                }
            }
            throw new IllegalArgumentException("code=" + onWire);
        }
    }

    /** The longest message, in bytes; a longer one is cut. */
    public static final int MAX_MESSAGE_LENGTH = 512;

    static final BodyBounds BODY = BodyBounds.of(Integer.BYTES).plusShort(0, MAX_MESSAGE_LENGTH);

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final byte[] text = Texts.message(message, MAX_MESSAGE_LENGTH);
        final int start = FrameHeader.begin(out, FrameType.REFUSED, version);
        out.putInt(code.onWire);
        Texts.put(out, text);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static RefusedFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.REFUSED, body);
        final Code code = Code.of(in.int32("code", 1, Code.values().length));
        final String message = in.message("message", MAX_MESSAGE_LENGTH);
        in.end();
        return new RefusedFrame(code, message);
    }
}
