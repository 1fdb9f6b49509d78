package io.spillway.transport.tcp;

import io.spillway.transport.AttemptIds;
import io.spillway.transport.JobSecrets;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Nonce;
import io.spillway.wire.Proof;
import io.spillway.wire.RefusedFrame;
import java.security.SecureRandom;

/** The node's side of one mutual proof. Used by one thread. */
final class ServerHandshake {
    private final JobSecrets secrets;
    private final HelloFrame hello;
    private final ChallengeFrame challenge;

    ServerHandshake(
            final JobSecrets secrets,
            final HelloFrame hello,
            final long epoch,
            final SecureRandom random) {
        this.secrets = secrets;
        this.hello = hello;
        this.challenge = new ChallengeFrame(epoch, Nonce.random(random));
    }

    String jobId() {
        return hello.jobId();
    }

    boolean prefetch() {
        return hello.prefetch();
    }

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
        final byte[] secret =
                AttemptIds.isJob(hello.jobId()) ? secrets.secretOf(hello.jobId()) : null;
        if (secret == null || secret.length == 0) {
            throw new RefusedException(
                    RefusedFrame.Code.UNKNOWN_JOB, hello.jobId() + " is not known here");
        }
        return secret;
    }
}
