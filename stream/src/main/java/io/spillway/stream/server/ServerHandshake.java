package io.spillway.stream.server;

import io.spillway.transport.serve.JobSecrets;
import io.spillway.wire.FrameType;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.handshake.AuthFrame;
import io.spillway.wire.handshake.ChallengeFrame;
import io.spillway.wire.handshake.HelloFrame;
import io.spillway.wire.handshake.Nonce;
import io.spillway.wire.handshake.Proof;
import io.spillway.wire.handshake.RefusedFrame;
import java.security.SecureRandom;

/** The node's side of one mutual proof. Used by one thread. */
final class ServerHandshake {
    private final JobSecrets secrets;
    private final HelloFrame hello;
    private final ChallengeFrame challenge;

    /**
     * Begins to answer a HELLO.
     *
     * @param secrets of the jobs that the node knows
     * @param hello what the client said
     * @param epoch the node's incarnation
     * @param random of the node's nonce
     */
    ServerHandshake(
            final JobSecrets secrets,
            final HelloFrame hello,
            final long epoch,
            final SecureRandom random) {
        this.secrets = secrets;
        this.hello = hello;
        this.challenge = new ChallengeFrame(epoch, Nonce.random(random));
    }

    /** Checks what a connection begins with. */
    static void checkMagic(final int magic) throws MalformedFrameException {
        if (magic != HelloFrame.MAGIC) {
            throw new MalformedFrameException(
                    String.format(
                            "HELLO frame: magic=0x%08x, expected 0x%08x", magic, HelloFrame.MAGIC));
        }
    }

    /** Checks the version in a HELLO's header, before the rest of it is looked at. */
    static void checkVersion(final byte version) throws RefusedException {
        if (version != FrameType.VERSION) {
            throw new RefusedException(
                    RefusedFrame.Code.VERSION,
                    "version=" + version + ", expected " + FrameType.VERSION);
        }
    }

    /** The job that the client says it fetches for. */
    String jobId() {
        return hello.jobId();
    }

    /** Whether the client may be read ahead for. */
    boolean prefetch() {
        return hello.prefetch();
    }

    /** What the client has to answer; refuses a job that is not known. */
    ChallengeFrame challenge() throws RefusedException {
        secret();
        return challenge;
    }

    /** Checks the client's proof and makes the node's. */
    Proof prove(final AuthFrame auth) throws RefusedException {
        final byte[] secret = secret();
        if (!proof(Proof.Role.CLIENT, secret).matches(auth.proof())) {
            throw new RefusedException(
                    RefusedFrame.Code.UNAUTHORIZED,
                    "the client's proof for " + hello.jobId() + " is wrong");
        }
        return proof(Proof.Role.NODE, secret);
    }

    private Proof proof(final Proof.Role role, final byte[] secret) {
        return Proof.of(
                role, secret, hello.nonce(), challenge.nonce(), challenge.epoch(), hello.jobId());
    }

    private byte[] secret() throws RefusedException {
        final byte[] secret = secrets.secretOf(hello.jobId());
        if (secret == null || secret.length == 0) {
            throw new RefusedException(
                    RefusedFrame.Code.UNKNOWN_JOB, hello.jobId() + " is not known here");
        }
        return secret;
    }
}
