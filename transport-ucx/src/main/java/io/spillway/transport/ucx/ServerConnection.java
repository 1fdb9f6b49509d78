package io.spillway.transport.ucx;

import io.spillway.protocol.RefusedException;
import io.spillway.protocol.ServerHandshake;
import io.spillway.transport.TransportOffer;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameHeader;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.Proof;
import io.spillway.wire.WelcomeFrame;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openucx.jucx.ucp.UcpConnectionRequest;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: has it prove itself, and hands its fetches to an {@link AnswerQueue}.
 * Used by the thread of UCX.
 */
final class ServerConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);
    private static final long REFUSED_MILLIS = 2_000;

    private enum State {
        HELLO,
        AUTH,
        READY,
        /**
         * The client was told, and ends the connection: doing so here could overtake the answer.
         */
        REFUSED,
        ENDED
    }

    private final UcxSegmentServer server;
    private final long id;
    private final InetSocketAddress client;
    private final Link link;
    private final long linkId;
    private State state = State.HELLO;
    private Envelope envelope;
    private ServerHandshake handshake;
    private String jobId;
    private AnswerQueue answers;
    private long lastActivityNanos = System.nanoTime();
    private boolean heartbeatQueued;

    /**
     * Accepts a client.
     *
     * @param id that the client is to speak to this connection by
     * @throws org.openucx.jucx.UcxException when there is no way to it
     */
    ServerConnection(
            final UcxSegmentServer server, final long id, final UcpConnectionRequest request) {
        this.server = server;
        this.id = id;
        this.client = request.getClientAddress();
        final boolean sameHost = client != null && server.sameHost().test(client.getAddress());
        this.link =
                new Link(
                        server.thread(),
                        new UcpEndpointParams().setConnectionRequest(request),
                        !sameHost,
                        this::linkBroke);
        this.linkId = link.nativeId();
    }

    long id() {
        return id;
    }

    long linkId() {
        return linkId;
    }

    boolean isOf(final String otherJobId) {
        return otherJobId.equals(jobId);
    }

    // ---- the end -------------------------------------------------------------------------------

    void close() {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        if (answers != null) {
            answers.close();
        }
        server.forget(this);
        link.close();
    }

    /** Ends this connection, and nothing else, with one line in the log. */
    private void drop(final String reason) {
        if (state == State.ENDED) {
            return;
        }
        server.warnings().warn("Closing the connection of " + peer() + ": " + reason);
        if (jobId == null) {
            server.counters().refused();
        }
        close();
    }

    private void linkBroke(final int status, final String message) {
        LOG.debug("Connection of {} broke: status={} {}", peer(), status, message);
        close();
    }

    private String peer() {
        return client + (jobId == null ? "" : " (" + jobId + ")");
    }

    // ---- time ----------------------------------------------------------------------------------

    void watch(final long now) {
        final long idle = TimeUnit.NANOSECONDS.toMillis(now - lastActivityNanos);
        switch (state) {
            case READY -> watchClient(idle);
            case REFUSED -> {
                if (idle >= REFUSED_MILLIS) {
                    close();
                }
            }
            default -> {
                if (idle >= server.settings().authTimeoutMillis()) {
                    drop("no proof within " + idle + " ms, state=" + state);
                }
            }
        }
    }

    private void watchClient(final long idle) {
        if (idle >= server.idleTimeoutMillis()) {
            link.giveUp();
            drop("no message from or to it for " + idle + " ms");
        } else if (idle >= server.idleTimeoutMillis() / 2) {
            sendHeartbeat(FrameType.PING);
        }
    }

    private void active() {
        lastActivityNanos = System.nanoTime();
    }

    /**
     * At most one waits to go out, so that a client that takes nothing cannot make us queue more.
     */
    private void sendHeartbeat(final FrameType type) {
        if (heartbeatQueued) {
            return;
        }
        heartbeatQueued = true;
        link.send(envelope, type, wentOut -> heartbeatQueued = false);
    }

    // ---- frames --------------------------------------------------------------------------------

    /** The client's first message; {@code in} is behind the envelope. From within UCX. */
    void onHello(final Envelope from, final ByteBuffer in, final long bytesAfter) {
        if (state != State.HELLO) {
            dropLater("HELLO frame: not expected in state " + state);
            return;
        }
        try {
            checkNoBytes(bytesAfter);
            if (in.remaining() < HelloFrame.MAGIC_LENGTH + FrameHeader.LENGTH) {
                throw new MalformedFrameException(
                        "HELLO frame: length=" + in.remaining() + ", expected a whole frame");
            }
            ServerHandshake.checkMagic(in.getInt());
            envelope = new Envelope(from.from(), id);
            ServerHandshake.checkVersion(FrameHeader.version(in));
            final FrameType type = Frames.typeOf(in);
            if (type != FrameType.HELLO) {
                throw new MalformedFrameException(type + " frame: not expected in state HELLO");
            }
            welcomeTo(HelloFrame.decode(in));
        } catch (final MalformedFrameException e) {
            dropLater(e.getMessage());
        } catch (final RefusedException e) {
            refuse(e);
        }
    }

    private void welcomeTo(final HelloFrame hello) throws RefusedException {
        handshake = new ServerHandshake(server.secrets(), hello, server.epoch(), server.random());
        link.send(envelope, handshake.challenge()::encode);
        state = State.AUTH;
    }

    /** Any later message; {@code in} is behind the envelope. From within UCX. */
    void onMessage(final ByteBuffer in, final long bytesAfter) {
        if (state == State.ENDED || state == State.REFUSED) {
            return;
        }
        try {
            checkNoBytes(bytesAfter);
            onFrame(Frames.typeOf(in), in);
        } catch (final MalformedFrameException e) {
            dropLater(e.getMessage());
        } catch (final RefusedException e) {
            refuse(e);
        }
    }

    private static void checkNoBytes(final long bytesAfter) throws MalformedFrameException {
        if (bytesAfter != 0) {
            throw new MalformedFrameException(
                    "bytes after a client's frame=" + bytesAfter + ", expected 0");
        }
    }

    private void onFrame(final FrameType type, final ByteBuffer body)
            throws MalformedFrameException, RefusedException {
        if (state == State.AUTH && type == FrameType.AUTH) {
            onAuth(AuthFrame.decode(body));
        } else if (state == State.READY && type == FrameType.FETCH) {
            active();
            answers.add(FetchFrame.decode(body));
        } else if (state == State.READY && type == FrameType.PING) {
            active();
            sendHeartbeat(FrameType.PONG);
        } else if (state == State.READY && type == FrameType.PONG) {
            active();
        } else {
            throw new MalformedFrameException(type + " frame: not expected in state " + state);
        }
    }

    private void onAuth(final AuthFrame auth) throws RefusedException {
        final Proof proof = handshake.prove(auth);
        final WelcomeFrame welcome =
                new WelcomeFrame(
                        proof,
                        server.settings().maxRequestLength(),
                        server.settings().credits(),
                        TransportOffer.format(UcxTransport.NAME, List.of()));
        link.send(envelope, welcome::encode);
        state = State.READY;
        jobId = handshake.jobId();
        active();
        answers =
                new AnswerQueue(
                        server,
                        jobId,
                        peer(),
                        handshake.prefetch(),
                        link,
                        envelope,
                        this::active,
                        this::drop);
        handshake = null;
    }

    /** UCX is not to be told of an end from within itself. */
    private void dropLater(final String reason) {
        server.thread().defer(() -> drop(reason));
    }

    private void refuse(final RefusedException refusal) {
        final String line = "Refusing the connection of " + peer() + ": " + refusal.getMessage();
        if (refusal.isSuspicious()) {
            server.warnings().warn(line);
        } else {
            LOG.debug("{}", line);
        }
        server.counters().refused();
        state = State.REFUSED;
        active();
        link.send(envelope, refusal.frame()::encode);
    }
}
