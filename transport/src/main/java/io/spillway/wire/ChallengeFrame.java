// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

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
    /** Offset of the epoch in the body. */
    public static final int EPOCH_OFFSET = 0;

    /** Offset of the nonce in the body. */
    public static final int NONCE_OFFSET = EPOCH_OFFSET + Long.BYTES;

    /** Offset of the oldest and the newest version in the body: four bytes each. */
    public static final int VERSIONS_OFFSET = NONCE_OFFSET + Nonce.LENGTH;

    /** Offset of whether the session is sealed in the body: four bytes, 0 or 1. */
    public static final int SEALED_OFFSET = VERSIONS_OFFSET + 2 * Integer.BYTES;

    /** The bytes of the body. */
    public static final int BODY_LENGTH = SEALED_OFFSET + Integer.BYTES;

    /** The bytes of the body in version 12. */
    public static final int BODY_LENGTH_V12 = VERSIONS_OFFSET;

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        FrameHeader.encode(out, FrameType.CHALLENGE, version, bodyLength(version));
        out.putLong(epoch);
        nonce.encode(out);
        if (version > FrameType.V12) {
            out.putInt(versions.oldest()).putInt(versions.newest()).putInt(isSealed ? 1 : 0);
        }
    }

    private static int bodyLength(final int version) {
        return version > FrameType.V12 ? BODY_LENGTH : BODY_LENGTH_V12;
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
