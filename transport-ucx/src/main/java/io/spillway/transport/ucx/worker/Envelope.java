// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.MessageSeal;
import java.nio.ByteBuffer;

/**
 * The begin of the header of an Active Message. One frame follows, {@linkplain PathSeal sealed} in
 * a sealed session. All messages of a worker arrive in one place, and the envelope names the
 * connection of each.
 *
 * <p>Each side chooses the id that it is spoken to by, at random, and tells it to no one but the
 * other side, over the connection on which both have proved themselves: so no connection can speak
 * for another one.
 *
 * @param to the receiver's id of the connection
 * @param version of the frames of the session; it is not written
 */
public record Envelope(long to, int version) {
    /** Offset of the receiver's id. */
    static final int TO_OFFSET = 0;

    /** The bytes of an envelope. */
    public static final int LENGTH = TO_OFFSET + Long.BYTES;

    /**
     * The most sealed bytes of a header: the longest frame of a fetch or of its answer, then the
     * tags of its bytes.
     */
    static final int MAX_SEALED = FrameHeader.LENGTH + 1024 + MessageSeal.MAX_TAGS;

    /** The longest header of a message. */
    public static final int MAX_MESSAGE_HEADER = LENGTH + MessageSeal.OVERHEAD + MAX_SEALED;

    /** Writes the envelope. */
    public void encode(final ByteBuffer out) {
        out.putLong(to);
    }

    /** Reads the receiver's id at the position of {@code in}, and moves it behind the envelope. */
    public static long receiverOf(final ByteBuffer in) throws MalformedFrameException {
        if (in.remaining() < LENGTH) {
            throw new MalformedFrameException(
                    "message header: length=" + in.remaining() + ", expected at least " + LENGTH);
        }
        return in.getLong();
    }
}
