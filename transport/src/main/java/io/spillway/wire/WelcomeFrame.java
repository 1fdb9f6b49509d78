// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import java.nio.ByteBuffer;

/**
 * The node's answer to a good {@link AuthFrame}: its own proof, and what it allows.
 *
 * @param proof that the node knows the job's secret
 * @param maxRequestLength the most bytes that one fetch may ask for
 * @param credits the most fetches in flight on this connection
 * @param putCredits the most puts, commits and aborts of this connection without an answer; 0 where
 *     the node takes none
 * @param putBytes the most bytes of them
 * @param transports the transport of this connection and the others that this node offers, as
 *     {@link io.spillway.transport.TransportOffer} writes them
 */
public record WelcomeFrame(
        Proof proof,
        int maxRequestLength,
        int credits,
        int putCredits,
        int putBytes,
        String transports) {
    /** Offset of the proof in the body. */
    public static final int PROOF_OFFSET = 0;

    /** Offset of the longest request in the body. */
    public static final int MAX_REQUEST_LENGTH_OFFSET = PROOF_OFFSET + Proof.LENGTH;

    /** Offset of the credits in the body. */
    public static final int CREDITS_OFFSET = MAX_REQUEST_LENGTH_OFFSET + Integer.BYTES;

    /** Offset of the credits of puts in the body. */
    public static final int PUT_CREDITS_OFFSET = CREDITS_OFFSET + Integer.BYTES;

    /** Offset of the bytes of puts in the body. */
    public static final int PUT_BYTES_OFFSET = PUT_CREDITS_OFFSET + Integer.BYTES;

    /** Offset of the transports in the body: two bytes of length, then text. */
    public static final int TRANSPORTS_OFFSET = PUT_BYTES_OFFSET + Integer.BYTES;

    /** The longest list of transports, in bytes. */
    public static final int MAX_TRANSPORTS_LENGTH = 512;

    /** The most credits that a client believes. */
    public static final int MAX_CREDITS = 1 << 16;

    /** The shortest body, in bytes. */
    public static final int MIN_BODY_LENGTH = TRANSPORTS_OFFSET + Short.BYTES;

    /** The longest body, in bytes. */
    public static final int MAX_BODY_LENGTH = MIN_BODY_LENGTH + MAX_TRANSPORTS_LENGTH;

    /** The same with another proof. */
    public WelcomeFrame withProof(final Proof another) {
        return new WelcomeFrame(
                another, maxRequestLength, credits, putCredits, putBytes, transports);
    }

    /** The frame before its proof is made. */
    public static WelcomeFrame unproved(
            final int maxRequestLength,
            final int credits,
            final int putCredits,
            final int putBytes,
            final String transports) {
        return new WelcomeFrame(
                Proof.NONE, maxRequestLength, credits, putCredits, putBytes, transports);
    }

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final byte[] names = Texts.name("transports", transports, MAX_TRANSPORTS_LENGTH);
        FrameHeader.encode(out, FrameType.WELCOME, version, MIN_BODY_LENGTH + names.length);
        proof.encode(out);
        out.putInt(maxRequestLength).putInt(credits).putInt(putCredits).putInt(putBytes);
        Texts.put(out, names);
    }

    /** Reads a body. */
    public static WelcomeFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.WELCOME, body);
        final Proof proof = Proof.decode(in);
        final int maxRequestLength = in.int32("maxRequestLength", 1, Integer.MAX_VALUE);
        final int credits = in.int32("credits", 1, MAX_CREDITS);
        final int putCredits = in.int32("putCredits", 0, MAX_CREDITS);
        final int putBytes = in.int32("putBytes", 0, Integer.MAX_VALUE);
        final String transports = in.name("transports", MAX_TRANSPORTS_LENGTH);
        in.end();
        return new WelcomeFrame(proof, maxRequestLength, credits, putCredits, putBytes, transports);
    }
}
