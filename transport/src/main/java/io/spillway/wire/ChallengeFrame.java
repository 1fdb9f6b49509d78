// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.Protection;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/**
 * The node's answer to a {@link HelloFrame} of a job that it knows. The version in its header is
 * the session's: the newest that both sides speak.
 *
 * @param epoch the node's incarnation
 * @param nonce the node's nonce
 * @param protection the weakest level that the node accepts. In version 13 that of the session:
 *     {@link Protection#PRIVACY} or {@link Protection#AUTHENTICATION}; not in version 12
 * @param versions those that the node speaks; {@code 12} in a session of version 12
 */
public record ChallengeFrame(
        long epoch, Nonce nonce, Protection protection, VersionRange versions) {
    static final BodyBounds BODY =
            BodyBounds.of(Long.BYTES + Nonce.LENGTH).plus(0, 3 * Integer.BYTES);

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.CHALLENGE, version);
        out.putLong(epoch);
        nonce.encode(out);
        if (version > FrameType.V12) {
            out.putInt(versions.oldest()).putInt(versions.newest());
            out.putInt(version > FrameType.V13 ? protection.code() : sealed());
        }
        FrameHeader.end(out, start);
    }

    private int sealed() {
        return protection.isKeyed() ? 1 : 0;
    }

    /** Reads a body. */
    public static ChallengeFrame decode(final ByteBuffer body, final int version)
            throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.CHALLENGE, body);
        final long epoch = in.int64("epoch", Long.MIN_VALUE);
        final Nonce nonce = Nonce.decode(in);
        final VersionRange versions =
                version > FrameType.V12
                        ? HelloFrame.versions(in)
                        : VersionRange.only(FrameType.V12);
        final Protection protection = protection(in, version);
        in.end();
        return new ChallengeFrame(epoch, nonce, protection, versions);
    }

    private static Protection protection(final FrameReader in, final int version)
            throws MalformedFrameException {
        if (version > FrameType.V13) {
            return Protection.decode(in);
        }
        final boolean isSealed = version > FrameType.V12 && in.int32("sealed", 0, 1) == 1;
        return isSealed ? Protection.PRIVACY : Protection.AUTHENTICATION;
    }
}
