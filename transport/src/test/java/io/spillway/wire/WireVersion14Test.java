// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameLayout;
import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.Protection;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * The layouts that differ between versions 13 and 14: the two frames that agree on the protection.
 */
class WireVersion14Test {
    private static final int V14 = FrameType.V14;
    private static final byte[] SECRET = {1};
    private static final Nonce NONCE = Nonce.random(new SecureRandom());
    private static final HelloFrame HELLO =
            new HelloFrame(NONCE, FrameType.VERSIONS, "10.0.0.7:1", "job_1_1");

    private static String hex(final FrameLayout frame) {
        final ByteBuffer bytes = ByteBuffer.allocate(FrameType.MAX_FRAME_LENGTH);
        frame.encode(bytes, V14);
        return HexFormat.of().formatHex(bytes.array(), 0, bytes.position());
    }

    private static ByteBuffer body(final String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.substring(2 * FrameHeader.LENGTH)));
    }

    private static ChallengeFrame challenge(final Protection protection) {
        return new ChallengeFrame(5, NONCE, protection, new VersionRange(12, 14));
    }

    private static Transcript transcript(final Protection ofNode, final Protection agreed) {
        return new Transcript(HELLO, challenge(ofNode), agreed, V14);
    }

    @Test
    void theNodeSaysTheWeakestThatItAccepts() throws MalformedFrameException {
        final ChallengeFrame frame = challenge(Protection.INTEGRITY);
        final String recorded = "020e000000240000000000000005" + NONCE + "0000000c0000000e00000001";
        assertThat(hex(frame::encode)).isEqualTo(recorded);
        assertThat(ChallengeFrame.decode(body(recorded), V14)).isEqualTo(frame);
    }

    @Test
    void theClientSaysWhatIsAgreed() throws MalformedFrameException {
        final AuthFrame frame = transcript(Protection.INTEGRITY, Protection.PRIVACY).auth(SECRET);
        final String encoded = hex(frame::encode);
        assertThat(encoded).startsWith("030e00000024").endsWith("00000002");
        assertThat(AuthFrame.decode(body(encoded), V14)).isEqualTo(frame);
        final String unknown = encoded.substring(0, encoded.length() - 1) + "3";
        assertThatThrownBy(() -> AuthFrame.decode(body(unknown), V14))
                .hasMessage("AUTH frame: protection=3, expected 0 to 2");
    }

    /** The proofs cover both fields: an attacker who changes one does not have the secret. */
    @Test
    void proofsAndKeysCoverWhatEachSideHasSaid() {
        final WelcomeFrame welcome = WelcomeFrame.unproved(1, 2, 3, 4, "tcp");
        final Transcript agreed = transcript(Protection.INTEGRITY, Protection.PRIVACY);
        for (final Transcript other :
                new Transcript[] {
                    transcript(Protection.INTEGRITY, Protection.INTEGRITY),
                    transcript(Protection.AUTHENTICATION, Protection.PRIVACY)
                }) {
            assertThat(other.ofClient(SECRET)).isNotEqualTo(agreed.ofClient(SECRET));
            assertThat(other.ofNode(SECRET, welcome)).isNotEqualTo(agreed.ofNode(SECRET, welcome));
        }
    }
}
