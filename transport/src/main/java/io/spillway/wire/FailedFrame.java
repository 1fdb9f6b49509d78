// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import java.nio.ByteBuffer;

/**
 * One request failed; the connection lives on.
 *
 * @param requestId of the fetch, put, commit, abort or call
 * @param code why
 * @param message why, for people
 */
public record FailedFrame(long requestId, Code code, String message) {
    /** Why a request failed. */
    public enum Code {
        /** No such map output. */
        NOT_FOUND(1),
        /** Outside the segment, or no such partition, or too long a request. */
        OUT_OF_RANGE(2),
        /** The map output or its index could not be read. */
        SOURCE_FAILED(3),
        /** The job has ended on this node. */
        UNKNOWN_JOB(4),
        /** The output is not one of the job that this connection is for. */
        UNAUTHORIZED(5),
        /** The node has no memory for the answer, or for the bytes put, now. */
        BUSY(6),
        /** The node takes no puts. */
        NO_SINK(7),
        /** Other bytes, or another commit, were taken before. */
        CONFLICT(8),
        /** The node has no room for the bytes put. */
        FULL(9),
        /** The bytes put were damaged on the way. */
        DAMAGED(10),
        /** Bytes of the output are missing. */
        INCOMPLETE(11),
        /** The node answers no calls. */
        NO_SERVICE(12);

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

    static final BodyBounds BODY =
            BodyBounds.of(Long.BYTES + Integer.BYTES).plusShort(0, MAX_MESSAGE_LENGTH);

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final byte[] text = Texts.message(message, MAX_MESSAGE_LENGTH);
        final int start = FrameHeader.begin(out, FrameType.FAILED, version);
        out.putLong(requestId).putInt(code.onWire);
        Texts.put(out, text);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static FailedFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.FAILED, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final Code code = Code.of(in.int32("code", 1, Code.values().length));
        final String message = in.message("message", MAX_MESSAGE_LENGTH);
        in.end();
        return new FailedFrame(requestId, code, message);
    }
}
