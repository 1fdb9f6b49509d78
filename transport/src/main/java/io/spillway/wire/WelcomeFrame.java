// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
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
    /** The longest list of transports, in bytes. */
    public static final int MAX_TRANSPORTS_LENGTH = 512;

    /** The most credits that a client believes. */
    public static final int MAX_CREDITS = 1 << 16;

    static final BodyBounds BODY =
            BodyBounds.of(Proof.LENGTH + 4 * Integer.BYTES).plusShort(0, MAX_TRANSPORTS_LENGTH);

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
        final int start = FrameHeader.begin(out, FrameType.WELCOME, version);
        proof.encode(out);
        out.putInt(maxRequestLength).putInt(credits).putInt(putCredits).putInt(putBytes);
        Texts.put(out, names);
        FrameHeader.end(out, start);
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
