package io.spillway.transport.ucx;

import io.spillway.protocol.ClientHandshake;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.PendingFetch;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.WelcomeFrame;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's side of one connection: connects, proves, sends fetches as far as there are credits,
 * and takes the answers. Used by the thread of UCX, but what says otherwise.
 */
final class ClientConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);
    private static final int CONNECT_ATTEMPTS = 5;

    /**
     * The first attempt may take this part of the connect time-out, each next one twice as long.
     */
    private static final int FIRST_ATTEMPT = 8;

    private static final int SLOT_BITS = 16;
    private static final Message.Listener NOBODY = wentOut -> {};

    private final UcxTransport transport;
    private final UcxThread thread;
    private final NodeAddress address;
    private final InetSocketAddress remote;
    private final boolean forceable;
    private final ClientSettings settings;
    private final ClientHandshake handshake;
    private final CompletableFuture<ClientConnection> opened = new CompletableFuture<>();
    private final Queue<PendingFetch> waiting = new ArrayDeque<>();
    private final List<FetchSlot> slots = new ArrayList<>();
    private final Deque<FetchSlot> freeSlots = new ArrayDeque<>();
    private Link link;
    private long id;
    private int attempts;
    private long attemptNanos;
    private Envelope envelope;
    private List<TransportOffer> offers = List.of();
    private int maxRequestLength;
    private int credits;
    private long requests;
    private long lastAnswerNanos;
    private long lastMessageNanos;
    private boolean pinged;

    /** Set once, when the connection is lost; read by any thread. */
    private volatile FetchException lost;

    ClientConnection(
            final UcxTransport transport,
            final NodeAddress address,
            final InetSocketAddress remote,
            final JobCredentials credentials) {
        this.transport = transport;
        this.thread = transport.thread();
        this.address = address;
        this.remote = remote;
        this.forceable = !transport.sameHost().test(remote.getAddress());
        this.settings = transport.settings();
        this.handshake =
                new ClientHandshake(address, credentials, settings.prefetch(), transport.random());
    }

    /** Any thread. */
    CompletableFuture<ClientConnection> opened() {
        return opened;
    }

    /** Any thread. */
    NodeAddress address() {
        return address;
    }

    /** Any thread, once it is open. */
    long epoch() {
        return handshake.epoch();
    }

    /** Any thread, once it is open. */
    List<TransportOffer> offers() {
        return offers;
    }

    /** Any thread. */
    boolean isOpen() {
        return lost == null;
    }

    /** Any thread. */
    UcxThread thread() {
        return thread;
    }

    // ---- opening -------------------------------------------------------------------------------

    void connect() {
        if (lost != null) {
            return;
        }
        attempts++;
        attemptNanos = System.nanoTime();
        id = transport.register(this);
        final UcpEndpointParams params = new UcpEndpointParams().setSocketAddress(remote);
        try {
            link = new Link(thread, params, forceable, this::linkBroke);
        } catch (final UcxException e) {
            linkBroke(e.getStatus(), e.getMessage());
            return;
        }
        link.sendHello(new Envelope(Envelope.NOT_KNOWN, id), handshake.hello()::encode);
    }

    private void linkBroke(final int status, final String message) {
        if (isWorthAnotherAttempt(status)) {
            disconnect();
            transport.connectLater(this);
            return;
        }
        final Reason reason =
                status == UcsConstants.STATUS.UCS_ERR_REJECTED ? Reason.BUSY : Reason.DISCONNECTED;
        lose(reason, "ucx: " + message + ", status=" + status, null);
    }

    /** UCX sometimes fails to connect where the next attempt succeeds. */
    private boolean isWorthAnotherAttempt(final int status) {
        return (status == UcsConstants.STATUS.UCS_ERR_NOT_CONNECTED
                        || status == UcsConstants.STATUS.UCS_ERR_CONNECTION_RESET)
                && mayTryAgain();
    }

    private boolean mayTryAgain() {
        return !handshake.isChallenged() && attempts < CONNECT_ATTEMPTS;
    }

    /** And sometimes it never connects. */
    private void watchAttempt(final long now) {
        final long millis = TimeUnit.NANOSECONDS.toMillis(now - attemptNanos);
        final long patience = (settings.connectTimeoutMillis() << (attempts - 1)) / FIRST_ATTEMPT;
        if (link != null && mayTryAgain() && millis >= patience) {
            disconnect();
            connect();
        }
    }

    /** Answers that are on their way still find the connection while its link has not ended. */
    private void disconnect() {
        final long ofLink = id;
        if (link == null) {
            transport.forget(ofLink);
            return;
        }
        if (lost != null && lost.reason() == Reason.TIMED_OUT) {
            link.giveUp();
        }
        link.close(() -> transport.forget(ofLink));
        link = null;
    }

    private void onHandshake(final Envelope from, final FrameType type, final ByteBuffer body)
            throws MalformedFrameException {
        try {
            final Optional<AuthFrame> auth = handshake.onFrame(type, body);
            if (auth.isPresent()) {
                envelope = new Envelope(from.from(), id);
                link.send(envelope, auth.get()::encode);
            } else if (handshake.isWelcome()) {
                welcomed(handshake.welcome());
            }
        } catch (final FetchException e) {
            lose(e);
        }
    }

    private void welcomed(final WelcomeFrame welcome) {
        maxRequestLength = Math.min(welcome.maxRequestLength(), BufferPool.SLAB_BYTES);
        credits = Math.min(welcome.credits(), settings.requestsInFlight());
        offers = TransportOffer.parse(welcome.transports());
        for (int i = 0; i < credits; i++) {
            final FetchSlot slot = new FetchSlot(thread, this, i);
            slots.add(slot);
            freeSlots.add(slot);
        }
        opened.complete(this);
    }

    // ---- ending --------------------------------------------------------------------------------

    void close() {
        lose(Reason.DISCONNECTED, "closed by this side", null);
    }

    /** The caller of open waits no longer. */
    void abort(final FetchException cause) {
        lose(cause);
    }

    void receiveFailed(final int status, final String message) {
        lose(Reason.DISCONNECTED, "ucx: receiving failed: " + message + ", status=" + status, null);
    }

    private void lose(final Reason reason, final String why, final Throwable cause) {
        lose(new FetchException(reason, address + ": " + why, cause));
    }

    /** Ends the connection and fails everything, once. */
    private void lose(final FetchException cause) {
        if (lost != null) {
            return;
        }
        lost = cause;
        opened.completeExceptionally(cause);
        slots.forEach(slot -> slot.lose(cause));
        disconnect();
        transport.left(this);
        for (PendingFetch fetch = waiting.poll(); fetch != null; fetch = waiting.poll()) {
            fetch.fail(cause);
        }
    }

    /** UCX has ended. */
    void abandon() {
        slots.forEach(FetchSlot::abandon);
    }

    /** Whether UCX still writes into a destination. */
    boolean isEnded() {
        return slots.stream().allMatch(slot -> slot.fetch() == null);
    }

    // ---- time ----------------------------------------------------------------------------------

    void watch(final long now) {
        if (lost != null) {
            return;
        }
        if (!handshake.isWelcome()) {
            watchAttempt(now);
        } else if (inFlight() > 0) {
            watchAnswers(now);
        } else {
            watchPeer(now);
        }
    }

    private void watchAnswers(final long now) {
        final long silent = TimeUnit.NANOSECONDS.toMillis(now - lastAnswerNanos);
        if (silent >= settings.readTimeoutMillis()) {
            lose(
                    Reason.TIMED_OUT,
                    "no answer for " + silent + " ms, fetches in flight=" + inFlight(),
                    null);
        }
    }

    private void watchPeer(final long now) {
        final long idle = TimeUnit.NANOSECONDS.toMillis(now - lastMessageNanos);
        if (idle >= 2 * settings.readTimeoutMillis()) {
            lose(Reason.TIMED_OUT, "no answer to a ping for " + idle + " ms", null);
        } else if (idle >= settings.readTimeoutMillis() && !pinged) {
            pinged = true;
            link.send(envelope, FrameType.PING, NOBODY);
        }
    }

    private int inFlight() {
        return slots.size() - freeSlots.size();
    }

    // ---- sending -------------------------------------------------------------------------------

    /** Takes a fetch; {@link #flush} sends it, as soon as there is a credit. */
    void add(final PendingFetch fetch) {
        final FetchException obstacle =
                lost == null ? fetch.obstacle(address, maxRequestLength) : lost;
        if (obstacle == null) {
            waiting.add(fetch);
        } else {
            fetch.fail(obstacle);
        }
    }

    void flush() {
        while (lost == null && !freeSlots.isEmpty() && !waiting.isEmpty()) {
            send(waiting.remove());
        }
    }

    private void send(final PendingFetch fetch) {
        final long requestId = (requests << SLOT_BITS) | freeSlots.peek().index();
        final FetchFrame frame = fetch.frame(requestId);
        final Message message = link.newMessage(envelope);
        try {
            frame.encode(message.header());
        } catch (final IllegalArgumentException e) {
            message.discard();
            fetch.fail(new FetchException(Reason.NOT_FOUND, address + ": " + e.getMessage(), e));
            return;
        }
        if (inFlight() == 0) {
            lastAnswerNanos = System.nanoTime();
        }
        requests++;
        freeSlots.remove().begin(fetch, requestId, link);
        link.send(message, 0, 0, null);
    }

    // ---- receiving -----------------------------------------------------------------------------

    /** From within UCX; returns what it is told. */
    int onMessage(final Envelope from, final ByteBuffer in, final UcpAmData data) {
        if (lost != null || from.to() != id) {
            takeLate(in);
            return UcsConstants.STATUS.UCS_OK;
        }
        lastMessageNanos = System.nanoTime();
        pinged = false;
        try {
            final FrameType type = Frames.typeOf(in);
            if (type == FrameType.DATA && handshake.isWelcome()) {
                return onData(DataFrame.decode(in), data);
            }
            if (data.getLength() > 0) {
                throw new MalformedFrameException(
                        type + " frame: bytes after it=" + data.getLength() + ", expected 0");
            }
            onFrame(from, type, in);
        } catch (final MalformedFrameException e) {
            thread.defer(() -> lose(Reason.PROTOCOL, e.getMessage(), e));
        }
        return UcsConstants.STATUS.UCS_OK;
    }

    /**
     * A message after the end, or to an attempt to connect that was given up: nobody waits for it
     * any more, but the end of the link does.
     */
    private void takeLate(final ByteBuffer in) {
        try {
            final FrameType type = Frames.typeOf(in);
            if (type == FrameType.DATA) {
                answered(DataFrame.decode(in).requestId());
            } else if (type == FrameType.FAILED) {
                answered(FailedFrame.decode(in).requestId());
            }
        } catch (final MalformedFrameException e) {
            LOG.debug("{}: a malformed frame after the end", address, e);
        }
    }

    private boolean answered(final long requestId) {
        final int index = (int) (requestId & ((1L << SLOT_BITS) - 1));
        return index < slots.size() && slots.get(index).isAnswered(requestId);
    }

    private void onFrame(final Envelope from, final FrameType type, final ByteBuffer body)
            throws MalformedFrameException {
        if (!handshake.isWelcome()) {
            final ByteBuffer copy = copyOf(body);
            thread.defer(() -> onHandshakeLater(from, type, copy));
            return;
        }
        switch (type) {
            case FAILED -> onFailed(FailedFrame.decode(body));
            case PING -> link.send(envelope, FrameType.PONG, NOBODY);
            case PONG -> {}
            default ->
                    throw new MalformedFrameException(
                            type + " frame: not expected from a node after WELCOME");
        }
    }

    /** UCX takes the memory back. */
    private static ByteBuffer copyOf(final ByteBuffer body) {
        return ByteBuffer.allocate(body.remaining()).put(body).flip();
    }

    private void onHandshakeLater(
            final Envelope from, final FrameType type, final ByteBuffer body) {
        if (lost != null) {
            return;
        }
        try {
            onHandshake(from, type, body);
        } catch (final MalformedFrameException e) {
            lose(Reason.PROTOCOL, e.getMessage(), e);
        }
    }

    private int onData(final DataFrame frame, final UcpAmData data) throws MalformedFrameException {
        final FetchSlot slot = find(FrameType.DATA, frame.requestId());
        if (frame.length() != data.getLength()) {
            throw new MalformedFrameException(
                    "DATA frame: length="
                            + frame.length()
                            + ", expected "
                            + data.getLength()
                            + " as came with it");
        }
        slot.fetch().answered(frame);
        lastAnswerNanos = lastMessageNanos;
        if (frame.length() == 0) {
            received(slot);
            return UcsConstants.STATUS.UCS_OK;
        }
        return slot.receive(data);
    }

    /** The bytes of a slot lie in their destination. */
    void received(final FetchSlot slot) {
        lastAnswerNanos = System.nanoTime();
        final PendingFetch fetch = slot.end();
        freeSlots.add(slot);
        fetch.complete();
        flush();
    }

    private void onFailed(final FailedFrame failed) throws MalformedFrameException {
        final FetchSlot slot = find(FrameType.FAILED, failed.requestId());
        lastAnswerNanos = lastMessageNanos;
        final PendingFetch fetch = slot.end();
        freeSlots.add(slot);
        fetch.failed(address, failed);
        flush();
    }

    private FetchSlot find(final FrameType type, final long requestId)
            throws MalformedFrameException {
        final int index = (int) (requestId & ((1L << SLOT_BITS) - 1));
        final FetchSlot slot = index < slots.size() ? slots.get(index) : null;
        if (slot == null || !slot.isUnanswered() || !slot.isAnswered(requestId)) {
            throw new MalformedFrameException(
                    type + " frame: requestId=" + requestId + ", expected one in flight");
        }
        return slot;
    }
}
