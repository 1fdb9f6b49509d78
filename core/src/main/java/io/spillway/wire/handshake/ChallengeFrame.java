package io.spillway.wire.handshake;

import io.spillway.wire.FrameHeader;
import io.spillway.wire.FrameReader;
import io.spillway.wire.FrameType;
import io.spillway.wire.MalformedFrameException;
import java.nio.ByteBuffer;

/**
 * The node's answer to a {@link HelloFrame} of a job that it knows.
 *
 * @param epoch the node's incarnation
 * @param nonce the node's nonce
 */
public record ChallengeFrame(long epoch, Nonce nonce) {
    /** Offset of the epoch in the body. */
    public static final int EPOCH_OFFSET = 0;

    /** Offset of the nonce in the body. */
    public static final int NONCE_OFFSET = EPOCH_OFFSET + Long.BYTES;

    /** The bytes of the body. */
    public static final int BODY_LENGTH = NONCE_OFFSET + Nonce.LENGTH;

    /** Writes header and body. */
    public void encode(final ByteBuffer out) {
        FrameHeader.encode(out, FrameType.CHALLENGE, BODY_LENGTH);
        out.putLong(epoch);
        nonce.encode(out);
    }

    /** Reads a body. */
    public static ChallengeFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.CHALLENGE, body);
        final long epoch = in.int64("epoch", Long.MIN_VALUE);
        final Nonce nonce = Nonce.decode(in);
        in.end();
        return new ChallengeFrame(epoch, nonce);
    }
}
