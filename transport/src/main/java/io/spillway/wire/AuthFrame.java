// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.Protection;
import java.nio.ByteBuffer;

/**
 * The client's answer to a {@link ChallengeFrame}.
 *
 * @param proof that the client knows the job's secret
 * @param protection of the session: the stronger of the node's and the client's. Before version 14
 *     CHALLENGE has it, and this field is {@link Protection#AUTHENTICATION}
 */
public record AuthFrame(Proof proof, Protection protection) {
    static final BodyBounds BODY = BodyBounds.of(Proof.LENGTH).plus(0, Integer.BYTES);

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.AUTH, version);
        proof.encode(out);
        if (version > FrameType.V13) {
            out.putInt(protection.code());
        }
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static AuthFrame decode(final ByteBuffer body, final int version)
            throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.AUTH, body);
        final Proof proof = Proof.decode(in);
        final Protection protection =
                version > FrameType.V13 ? Protection.decode(in) : Protection.AUTHENTICATION;
        in.end();
        return new AuthFrame(proof, protection);
    }
}
