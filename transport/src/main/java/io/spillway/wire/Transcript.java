// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.Texts;
import io.spillway.seal.Hkdf;
import io.spillway.seal.Protection;
import io.spillway.seal.SealKeys;
import io.spillway.seal.SessionKeys;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The frames of both sides before either has proved itself. From version 13 on a proof covers all
 * of them: an attacker on the network cannot change what the two sides agree on, such as the
 * version and the protection. Immutable.
 *
 * @param hello of the client
 * @param challenge of the node
 * @param protection of the session; from version 14 on the client's answer has it
 * @param version of the session
 */
public record Transcript(
        HelloFrame hello, ChallengeFrame challenge, Protection protection, int version) {
    private static final byte[] CLIENT = "spillway client".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NODE = "spillway node".getBytes(StandardCharsets.US_ASCII);

    /** Creates the transcript of a session whose protection is that of CHALLENGE. */
    public Transcript(final HelloFrame hello, final ChallengeFrame challenge, final int version) {
        this(hello, challenge, challenge.protection(), version);
    }

    /** Makes the client's answer. */
    public AuthFrame auth(final byte[] secret) {
        return new AuthFrame(
                ofClient(secret), version > FrameType.V13 ? protection : Protection.AUTHENTICATION);
    }

    /**
     * The client's proof.
     *
     * @param secret the job's shuffle secret, not empty
     */
    public Proof ofClient(final byte[] secret) {
        final ByteBuffer text = text(CLIENT);
        return Proof.of(secret, text.flip());
    }

    /**
     * The node's proof. From version 13 on it covers what the node allows too.
     *
     * @param secret the job's shuffle secret, not empty
     * @param welcome what the node allows; the proof in it is not read
     */
    public Proof ofNode(final byte[] secret, final WelcomeFrame welcome) {
        final ByteBuffer text = text(NODE);
        if (version > FrameType.V12) {
            welcome.withProof(Proof.NONE).encode(text, version);
        }
        return Proof.of(secret, text.flip());
    }

    /** Whether all that follows WELCOME is sealed. */
    public boolean isSealed() {
        return protection.isKeyed();
    }

    /**
     * The keys of the session, for version 13 and later.
     *
     * @param secret the job's shuffle secret, not empty
     */
    public SessionKeys keys(final byte[] secret) {
        final ByteBuffer salt = ByteBuffer.allocate(2 * Nonce.LENGTH);
        hello.nonce().encode(salt);
        challenge.nonce().encode(salt);
        final byte[] key = Hkdf.extract(salt.array(), secret);
        return new SessionKeys(keysOf(key, CLIENT), keysOf(key, NODE));
    }

    private SealKeys keysOf(final byte[] key, final byte[] role) {
        final ByteBuffer text = text(role).flip();
        final byte[] info = new byte[text.remaining()];
        text.get(info);
        return version > FrameType.V13
                ? SealKeys.of(protection, Hkdf.expand(key, info, SealKeys.SECRET_LENGTH))
                : SealKeys.ofVersion13(Hkdf.expand(key, info, SealKeys.LENGTH));
    }

    private ByteBuffer text(final byte[] role) {
        final ByteBuffer text = ByteBuffer.allocate(4 * FrameType.MAX_FRAME_LENGTH);
        Texts.put(text, role);
        if (version > FrameType.V12) {
            hello.encode(text, FrameType.V13);
            challenge.encode(text, version);
            if (version > FrameType.V13) {
                text.putInt(protection.code());
            }
        } else {
            putFieldsOf12(text);
        }
        return text;
    }

    private void putFieldsOf12(final ByteBuffer text) {
        hello.nonce().encode(text);
        challenge.nonce().encode(text);
        text.putLong(challenge.epoch());
        Texts.put(text, hello.jobId().getBytes(StandardCharsets.US_ASCII));
        text.put((byte) FrameType.V12);
    }
}
