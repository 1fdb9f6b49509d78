package io.spillway.transport.ucx;

import io.spillway.wire.FrameHeader;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.MalformedFrameException;
import java.nio.ByteBuffer;

/**
 * What the header of an Active Message begins with; one frame follows. All messages of a worker
 * arrive in one place, and the envelope says which connection each one is for.
 *
 * <p>Each side chooses the id that it is spoken to by, at random, and tells it to nobody but the
 * other side: so no connection can speak for another one.
 *
 * @param to the receiver's id of the connection; 0 in a HELLO
 * @param from the sender's id of the connection; looked at in HELLO and CHALLENGE only
 */
record Envelope(long to, long from) {
    /** Offset of the receiver's id. */
    static final int TO_OFFSET = 0;

    /** Offset of the sender's id. */
    static final int FROM_OFFSET = TO_OFFSET + Long.BYTES;

    /** The bytes of an envelope. */
    static final int LENGTH = FROM_OFFSET + Long.BYTES;

    /** The receiver's id where the sender does not know it yet. */
    static final long NOT_KNOWN = 0;

    /** The longest header of a message. */
    static final int MAX_MESSAGE_HEADER =
            LENGTH + HelloFrame.MAGIC_LENGTH + FrameHeader.MAX_FRAME_LENGTH;

    void encode(final ByteBuffer out) {
        out.putLong(to).putLong(from);
    }

    static Envelope decode(final ByteBuffer in) throws MalformedFrameException {
        if (in.remaining() < LENGTH) {
            throw new MalformedFrameException(
                    "message header: length=" + in.remaining() + ", expected at least " + LENGTH);
        }
        return new Envelope(in.getLong(), in.getLong());
    }
}
