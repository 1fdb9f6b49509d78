// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;

/**
 * The client's answer to a {@link ChallengeFrame}.
 *
 * @param proof that the client knows the job's secret
 */
public record AuthFrame(Proof proof) {
    static final BodyBounds BODY = BodyBounds.of(Proof.LENGTH);

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.AUTH, version);
        proof.encode(out);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static AuthFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.AUTH, body);
        final Proof proof = Proof.decode(in);
        in.end();
        return new AuthFrame(proof);
    }
}
