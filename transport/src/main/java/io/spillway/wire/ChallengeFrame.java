// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/**
 * The node's answer to a {@link HelloFrame} of a job that it knows. The version in its header is
 * the session's: the newest that both sides speak.
 *
 * @param epoch the node's incarnation
 * @param nonce the node's nonce
 * @param isSealed whether all that follows WELCOME is sealed; not in version 12
 * @param versions those that the node speaks; {@code 12} in a session of version 12
 */
public record ChallengeFrame(long epoch, Nonce nonce, boolean isSealed, VersionRange versions) {
    static final BodyBounds BODY =
            BodyBounds.of(Long.BYTES + Nonce.LENGTH).plus(0, 3 * Integer.BYTES);

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.CHALLENGE, version);
        out.putLong(epoch);
        nonce.encode(out);
        if (version > FrameType.V12) {
            out.putInt(versions.oldest()).putInt(versions.newest()).putInt(isSealed ? 1 : 0);
        }
        FrameHeader.end(out, start);
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
        final boolean isSealed = version > FrameType.V12 && in.int32("sealed", 0, 1) == 1;
        in.end();
        return new ChallengeFrame(epoch, nonce, isSealed, versions);
    }
}
