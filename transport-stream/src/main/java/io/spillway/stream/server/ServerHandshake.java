// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.Protection;
import io.spillway.seal.SessionKeys;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.ServerStats.Refusal;
import io.spillway.version.VersionRange;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Nonce;
import io.spillway.wire.RefusedFrame;
import io.spillway.wire.Transcript;
import io.spillway.wire.WelcomeFrame;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The node's side of one mutual proof. Used by one thread. */
final class ServerHandshake {
    private final JobSecrets secrets;
    private Transcript transcript;
    private Optional<SessionKeys> sessionKeys = Optional.empty();

    /**
     * Begins to answer a HELLO.
     *
     * @param secrets of the jobs that the node knows
     * @param hello what the client said
     * @param epoch the node's incarnation
     * @param spoken the versions that the node speaks
     * @param protection the weakest level that the node accepts
     * @param random of the node's nonce
     * @throws RefusedException where the two sides have no version in common
     */
    ServerHandshake(
            final JobSecrets secrets,
            final HelloFrame hello,
            final long epoch,
            final VersionRange spoken,
            final Protection protection,
            final SecureRandom random)
            throws RefusedException {
        this.secrets = secrets;
        final int version = versionFor(hello, spoken);
        final Nonce nonce =
                version == FrameType.V12 && spoken.newest() > FrameType.V12
                        ? Nonce.ofNewerNode(random)
                        : Nonce.random(random);
        this.transcript =
                new Transcript(
                        hello,
                        new ChallengeFrame(
                                epoch, nonce, offered(hello, protection, version), spoken),
                        version);
    }

    /** Before version 14 the node decides for both: version 13 seals as privacy does. */
    private static Protection offered(
            final HelloFrame hello, final Protection protection, final int version) {
        if (version > FrameType.V13) {
            return protection;
        }
        final boolean isSealed =
                version == FrameType.V13 && (protection.isKeyed() || hello.seals());
        return isSealed ? Protection.PRIVACY : Protection.AUTHENTICATION;
    }

    private static int versionFor(final HelloFrame hello, final VersionRange spoken)
            throws RefusedException {
        return spoken.newestCommon(hello.versions())
                .orElseThrow(
                        () ->
                                new RefusedException(
                                        Refusal.VERSION,
                                        RefusedFrame.Code.VERSION,
                                        "versions=" + hello.versions() + ", expected " + spoken));
    }

    /** Checks what a connection begins with. */
    static void checkMagic(final int magic) throws MalformedFrameException {
        if (magic != HelloFrame.MAGIC) {
            throw new MalformedFrameException(
                    String.format(
                            "HELLO frame: magic=0x%08x, expected 0x%08x", magic, HelloFrame.MAGIC));
        }
    }

    /** The version of the session. */
    int version() {
        return transcript.version();
    }

    /** Reads the client's fields about the session, which its proof has to cover. */
    void agree(final AuthFrame auth) throws MalformedFrameException {
        if (version() <= FrameType.V13) {
            return;
        }
        final Protection least = transcript.challenge().protection();
        if (auth.protection().compareTo(least) < 0) {
            throw MalformedFrameException.of(
                    FrameType.AUTH,
                    "protection",
                    auth.protection(),
                    "at least " + least + " as CHALLENGE has it");
        }
        transcript =
                new Transcript(
                        transcript.hello(), transcript.challenge(), auth.protection(), version());
    }

    /** Whether all bytes after WELCOME are sealed. */
    boolean isSealed() {
        return transcript.isSealed();
    }

    /**
     * The keys of all bytes after WELCOME, once the client has {@linkplain #prove proved} itself;
     * empty where they are not sealed.
     */
    Optional<SessionKeys> sessionKeys() {
        return sessionKeys;
    }

    /** The job that the client says it fetches for. */
    String jobId() {
        return transcript.hello().jobId();
    }

    /** Whether the client may be read ahead for. */
    boolean prefetch() {
        return transcript.hello().prefetch();
    }

    /**
     * What the client has to answer. A job that is not known is refused here in version 12 only:
     * its clients expect that.
     */
    ChallengeFrame challenge() throws RefusedException {
        if (version() == FrameType.V12 && secrets.keysOf(jobId()).isEmpty()) {
            throw unknownJob();
        }
        return transcript.challenge();
    }

    /**
     * Refuses a client that has dialled another node: somebody in between relays its connection. To
     * be called after its proof, which covers the address.
     *
     * @param own where the connection has arrived
     * @param aliases the addresses of this node as clients dial them where something in between
     *     translates addresses
     */
    void requireDialled(final String own, final Set<String> aliases) throws RefusedException {
        final String dialled = transcript.hello().dialled();
        if (version() > FrameType.V12 && !dialled.equals(own) && !aliases.contains(dialled)) {
            throw new RefusedException(
                    Refusal.UNAUTHORIZED,
                    RefusedFrame.Code.UNAUTHORIZED,
                    "the client has dialled "
                            + dialled
                            + ", expected "
                            + own
                            + " or one of spillway.node.aliases: either somebody in between relays"
                            + " its connection, or this node's addresses are translated on the"
                            + " way");
        }
    }

    /**
     * Checks the client's proof and makes the node's.
     *
     * @param welcome what the node allows
     * @return the same with the node's proof
     */
    WelcomeFrame prove(final AuthFrame auth, final WelcomeFrame welcome) throws RefusedException {
        final List<byte[]> keys = secrets.keysOf(jobId());
        for (final byte[] key : keys) {
            if (transcript.ofClient(key).matches(auth.proof())) {
                sessionKeys = isSealed() ? Optional.of(transcript.keys(key)) : Optional.empty();
                return welcome.withProof(transcript.ofNode(key, welcome));
            }
        }
        throw keys.isEmpty() ? unknownJob() : wrongProof();
    }

    private RefusedException unknownJob() {
        return new RefusedException(
                Refusal.UNKNOWN_JOB, notProved(), jobId() + " is not known here");
    }

    private RefusedException wrongProof() {
        final String message = "the client's proof for " + jobId() + " is wrong";
        return version() == FrameType.V12
                ? new RefusedException(
                        Refusal.UNAUTHORIZED, RefusedFrame.Code.UNAUTHORIZED, message)
                : new RefusedException(Refusal.UNAUTHORIZED, notProved(), message);
    }

    /** One answer for both: a stranger does not learn from it which jobs there are. */
    private RefusedFrame notProved() {
        return new RefusedFrame(
                RefusedFrame.Code.UNKNOWN_JOB,
                jobId() + " is not known here, or not by the secret that was proved");
    }
}
