// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.Protection;
import io.spillway.seal.SessionKeys;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.version.VersionRange;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Nonce;
import io.spillway.wire.RefusedFrame;
import io.spillway.wire.Transcript;
import io.spillway.wire.WelcomeFrame;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The client's side of one mutual proof. Used by one thread.
 *
 * <p>A node of version 12 refuses the HELLO of a newer version, and says so without a proof: {@link
 * OtherHelloException} asks for another attempt, in version 12. A newer node marks its nonce where
 * it is asked for version 12, and its proof covers the nonce. So a client cannot be made to use
 * version 12 with a newer node by somebody who forges the refusal.
 */
public final class ClientHandshake {
    private final NodeAddress address;
    private final JobCredentials credentials;
    private final VersionRange spoken;
    private final Protection protection;
    private final HelloFrame hello;
    private Transcript transcript;
    private WelcomeFrame welcome;

    /**
     * Begins a handshake; {@link #hello} is to be sent.
     *
     * @param address of the node, for messages
     * @param credentials what to prove
     * @param prefetch whether the node may read ahead for this client
     * @param protection the weakest level that this client accepts
     * @param spoken the versions that this client speaks
     * @param offered those that the HELLO names, all or the oldest of them
     * @param dialled the address that the client has connected to, as {@link HelloFrame#dialled}
     * @param random of the client's nonce
     */
    public ClientHandshake(
            final NodeAddress address,
            final JobCredentials credentials,
            final boolean prefetch,
            final Protection protection,
            final VersionRange spoken,
            final VersionRange offered,
            final String dialled,
            final SecureRandom random) {
        this.address = address;
        this.credentials = credentials;
        this.spoken = spoken;
        this.protection = protection;
        this.hello =
                new HelloFrame(
                        Nonce.random(random),
                        prefetch,
                        protection.isKeyed(),
                        offered,
                        dialled,
                        credentials.jobId());
    }

    /**
     * Checks credentials before anybody connects.
     *
     * @throws FetchException with {@code UNAUTHORIZED} when the secret is empty
     */
    public static void check(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        if (credentials.secret().length == 0) {
            throw new FetchException(
                    Reason.UNAUTHORIZED, address + ": the secret of " + credentials + " is empty");
        }
    }

    /** The first frame. */
    public HelloFrame hello() {
        return hello;
    }

    /** The version that the first frame is laid out in. */
    public int helloVersion() {
        return HelloFrame.layoutFor(hello.versions());
    }

    /** Whether the node has answered in this protocol. */
    public boolean isChallenged() {
        return transcript != null;
    }

    /** The session's version; once {@link #isChallenged}. */
    public int version() {
        return transcript.version();
    }

    /** Whether both sides are proved. */
    public boolean isWelcome() {
        return welcome != null;
    }

    /** The node's incarnation; once {@link #isChallenged}. */
    public long epoch() {
        return transcript.challenge().epoch();
    }

    /** What the node allows; once {@link #isWelcome}. */
    public WelcomeFrame welcome() {
        return welcome;
    }

    /**
     * Takes the node's next frame.
     *
     * @param version that its header states
     * @return what to send in turn, if anything
     * @throws FetchException when the node refuses, or cannot prove itself
     * @throws OtherHelloException when another version is to be tried
     * @throws MalformedFrameException for a frame that does not belong here
     */
    public Optional<AuthFrame> onFrame(
            final FrameType type, final int version, final ByteBuffer body)
            throws MalformedFrameException, FetchException, OtherHelloException {
        if (type == FrameType.REFUSED) {
            throw refused(RefusedFrame.decode(body));
        }
        if (type == FrameType.CHALLENGE && transcript == null) {
            onChallenge(ChallengeFrame.decode(body, version), version);
            return Optional.of(transcript.auth(key()));
        }
        if (type == FrameType.WELCOME && transcript != null && version == version()) {
            onWelcome(WelcomeFrame.decode(body));
            return Optional.empty();
        }
        throw new MalformedFrameException(
                type
                        + " frame: not expected "
                        + (transcript == null ? "before" : "after")
                        + " CHALLENGE");
    }

    private void onChallenge(final ChallengeFrame challenge, final int version)
            throws MalformedFrameException, OtherHelloException {
        final OptionalInt expected = hello.versions().newestCommon(challenge.versions());
        if (expected.isEmpty() || expected.getAsInt() != version) {
            throw new MalformedFrameException(
                    "CHALLENGE frame: version="
                            + version
                            + ", expected the newest of "
                            + hello.versions()
                            + " and "
                            + challenge.versions());
        }
        if (spoken.newest() > version
                && version == FrameType.V12
                && challenge.nonce().isOfNewerNode()) {
            throw new OtherHelloException(
                    new FetchException(
                            Reason.UNAUTHORIZED,
                            address
                                    + ": the node speaks a newer version than 12, but its refusal"
                                    + " of "
                                    + spoken.newest()
                                    + " has come: somebody in between has forged it"));
        }
        if (hello.seals() && version == FrameType.V13 && !challenge.protection().isKeyed()) {
            throw new MalformedFrameException(
                    "CHALLENGE frame: sealed=0, expected 1 as the client insists on");
        }
        transcript = new Transcript(hello, challenge, agreed(challenge, version), version);
    }

    /** In version 13 the node decides. */
    private Protection agreed(final ChallengeFrame challenge, final int version) {
        return version > FrameType.V13
                ? protection.orStronger(challenge.protection())
                : challenge.protection();
    }

    /** Nodes of the former release know the job's secret, and no key of their own. */
    private byte[] key() {
        return version() > FrameType.V12 ? credentials.key() : credentials.secret();
    }

    /** The keys of all bytes after WELCOME; empty where they are not sealed. */
    public Optional<SessionKeys> keys() {
        return transcript.isSealed() ? Optional.of(transcript.keys(key())) : Optional.empty();
    }

    private void onWelcome(final WelcomeFrame frame) throws FetchException {
        if (!transcript.ofNode(key(), frame).matches(frame.proof())) {
            throw new FetchException(
                    Reason.UNAUTHORIZED,
                    address + ": the node's proof for " + credentials.jobId() + " is wrong");
        }
        welcome = frame;
    }

    private FetchException refused(final RefusedFrame frame) throws OtherHelloException {
        final Reason reason =
                switch (frame.code()) {
                    case VERSION -> Reason.NOT_SPILLWAY;
                    case UNKNOWN_JOB -> Reason.UNKNOWN_JOB;
                    case UNAUTHORIZED -> Reason.UNAUTHORIZED;
                    case BUSY -> Reason.BUSY;
                };
        final FetchException refusal =
                new FetchException(
                        reason, address + " refused: " + frame.code() + ", " + frame.message());
        if (frame.code() == RefusedFrame.Code.VERSION && transcript == null) {
            throw new OtherHelloException(refusal);
        }
        return refusal;
    }
}
