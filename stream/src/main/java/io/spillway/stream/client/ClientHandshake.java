package io.spillway.stream.client;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.wire.FrameType;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.handshake.AuthFrame;
import io.spillway.wire.handshake.ChallengeFrame;
import io.spillway.wire.handshake.HelloFrame;
import io.spillway.wire.handshake.Nonce;
import io.spillway.wire.handshake.Proof;
import io.spillway.wire.handshake.RefusedFrame;
import io.spillway.wire.handshake.WelcomeFrame;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Optional;

/** The client's side of one mutual proof. Used by one thread. */
public final class ClientHandshake {
    private final NodeAddress address;
    private final JobCredentials credentials;
    private final HelloFrame hello;
    private ChallengeFrame challenge;
    private WelcomeFrame welcome;

    /**
     * Begins a handshake; {@link #hello} is to be sent.
     *
     * @param address of the node, for messages
     * @param credentials what to prove
     * @param prefetch whether the node may read ahead for this client
     * @param random of the client's nonce
     */
    public ClientHandshake(
            final NodeAddress address,
            final JobCredentials credentials,
            final boolean prefetch,
            final SecureRandom random) {
        this.address = address;
        this.credentials = credentials;
        this.hello = new HelloFrame(Nonce.random(random), prefetch, credentials.jobId());
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

    /** Whether the node has answered in this protocol. */
    public boolean isChallenged() {
        return challenge != null;
    }

    /** Whether both sides are proved. */
    public boolean isWelcome() {
        return welcome != null;
    }

    /** The node's incarnation; once {@link #isChallenged}. */
    public long epoch() {
        return challenge.epoch();
    }

    /** What the node allows; once {@link #isWelcome}. */
    public WelcomeFrame welcome() {
        return welcome;
    }

    /**
     * Takes the node's next frame.
     *
     * @return what to send in turn, if anything
     * @throws FetchException when the node refuses, or cannot prove itself
     * @throws MalformedFrameException for a frame that does not belong here
     */
    public Optional<AuthFrame> onFrame(final FrameType type, final ByteBuffer body)
            throws MalformedFrameException, FetchException {
        if (type == FrameType.REFUSED) {
            throw refused(RefusedFrame.decode(body));
        }
        if (type == FrameType.CHALLENGE && challenge == null) {
            challenge = ChallengeFrame.decode(body);
            return Optional.of(new AuthFrame(proof(Proof.Role.CLIENT)));
        }
        if (type == FrameType.WELCOME && challenge != null) {
            onWelcome(WelcomeFrame.decode(body));
            return Optional.empty();
        }
        throw new MalformedFrameException(
                type
                        + " frame: not expected "
                        + (challenge == null ? "before" : "after")
                        + " CHALLENGE");
    }

    private void onWelcome(final WelcomeFrame frame) throws FetchException {
        if (!proof(Proof.Role.NODE).matches(frame.proof())) {
            throw new FetchException(
                    Reason.UNAUTHORIZED,
                    address + ": the node's proof for " + credentials.jobId() + " is wrong");
        }
        welcome = frame;
    }

    private Proof proof(final Proof.Role role) {
        return Proof.of(
                role,
                credentials.secret(),
                hello.nonce(),
                challenge.nonce(),
                challenge.epoch(),
                credentials.jobId());
    }

    private FetchException refused(final RefusedFrame frame) {
        final Reason reason =
                switch (frame.code()) {
                    case VERSION -> Reason.NOT_SPILLWAY;
                    case UNKNOWN_JOB -> Reason.UNKNOWN_JOB;
                    case UNAUTHORIZED -> Reason.UNAUTHORIZED;
                    case BUSY -> Reason.BUSY;
                };
        return new FetchException(
                reason, address + " refused: " + frame.code() + ", " + frame.message());
    }
}
