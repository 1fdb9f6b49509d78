// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.client;

import io.spillway.bootstrap.ControlConnection;
import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.ConnectionChannel;
import io.spillway.protocol.FetchConnection;
import io.spillway.protocol.PendingFetch;
import io.spillway.protocol.PendingWrite;
import io.spillway.protocol.ProvedNode;
import io.spillway.seal.MessageOpener.Opened;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.ucx.worker.BufferPool;
import io.spillway.transport.ucx.worker.Envelope;
import io.spillway.transport.ucx.worker.Link;
import io.spillway.transport.ucx.worker.Message;
import io.spillway.transport.ucx.worker.MessageFrames;
import io.spillway.transport.ucx.worker.PathSeal;
import io.spillway.transport.ucx.worker.UcxLibrary;
import io.spillway.transport.ucx.worker.UcxThread;
import io.spillway.wire.DataFrame;
import io.spillway.wire.ElsewhereFrame;
import io.spillway.wire.EndpointFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's side of one path, beside the tcp connection on which both sides have proved
 * themselves: tells the node of its end, sends fetches as far as there are credits, and takes the
 * answers. Used by the thread of UCX, but what says otherwise.
 */
final class ClientPath implements FetchConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ClientPath.class);
    private static final int SLOT_BITS = 16;

    private final UcxTransport transport;
    private final UcxThread thread;
    private final ControlConnection control;
    private final ProvedNode node;
    private final ClientSettings settings;
    private final PathSeal seal;
    private final int maxRequestLength;
    private final CompletableFuture<ClientPath> opened = new CompletableFuture<>();
    private final Queue<PendingFetch> waiting = new ArrayDeque<>();
    private final List<FetchSlot> slots = new ArrayList<>();
    private final Deque<FetchSlot> freeSlots = new ArrayDeque<>();
    private final Message.Listener onSent = this::onSent;
    private final Runnable failNow = this::failNow;
    private Link link;
    private long id;
    private Envelope envelope;
    private long requests;
    private long lastAnswerNanos;

    /** Why the connection has to end, outside of UCX's callbacks, which must not close it. */
    private Throwable failure;

    private boolean settled;

    /** Set once, when the connection is lost; read by any thread. */
    private volatile FetchException lost;

    /** Any thread; {@link #join} follows. */
    ClientPath(final UcxTransport transport, final ControlConnection control) {
        this.transport = transport;
        this.thread = transport.thread();
        this.control = control;
        this.node = control.node();
        this.settings = transport.settings();
        this.seal = PathSeal.ofClient(control.keys());
        this.maxRequestLength = Math.min(node.limits().maxRequestLength(), BufferPool.SLAB_BYTES);
    }

    /** Any thread. */
    CompletableFuture<ClientPath> opened() {
        return opened;
    }

    @Override
    public ProvedNode node() {
        return node;
    }

    private NodeAddress address() {
        return node.address();
    }

    private int version() {
        return node.version();
    }

    @Override
    public boolean isOpen() {
        return lost == null;
    }

    @Override
    public Executor executor() {
        return thread;
    }

    // ---- opening -------------------------------------------------------------------------------

    /** Exchanges the ends of the path with the node. */
    void join() {
        guard(this::tellEnd);
    }

    private void tellEnd() {
        id = transport.register(this);
        final EndpointFrame frame;
        try {
            frame = new EndpointFrame(id, thread.workerAddress());
        } catch (final IllegalArgumentException e) {
            final String advice = "; name the devices to use in spillway.ucx.net-devices";
            lose(Reason.DISCONNECTED, "ucx: the worker's " + e.getMessage() + advice, e);
            return;
        }
        final CompletableFuture<?> unusedAnswer =
                control.join(frame)
                        .thenAccept(answer -> thread.tryExecute(() -> guard(() -> joined(answer))));
        final CompletableFuture<?> unusedEnd =
                control.ended()
                        .thenAccept(cause -> thread.tryExecute(() -> guard(() -> nodeLeft(cause))));
    }

    private void joined(final EndpointFrame answer) {
        if (lost != null) {
            return;
        }
        try {
            link = new Link(thread, answer.address(), seal, this::linkBroke);
        } catch (final UcxException e) {
            lose(Reason.DISCONNECTED, "ucx: " + UcxLibrary.noWay(e), e);
            return;
        }
        envelope = new Envelope(answer.id(), version());
        final int credits = Math.min(node.limits().credits(), settings.requestsInFlight());
        for (int i = 0; i < credits; i++) {
            final FetchSlot slot = new FetchSlot(thread, this, i);
            slots.add(slot);
            freeSlots.add(slot);
        }
        // The path is open when something has come over it both ways.
        link.send(envelope, FrameType.PING, onSent);
    }

    private void onSent(final boolean wentOut) {
        if (!wentOut && lost == null) {
            failLater(new IOException("ucx: a message was not sent"));
        }
    }

    private void linkBroke(final int status, final String message) {
        lose(Reason.DISCONNECTED, "ucx: " + message + ", status=" + status, null);
    }

    /** The tcp connection has ended: nothing comes any more from the node. */
    private void nodeLeft(final FetchException cause) {
        if (link != null) {
            link.peerLeft();
        }
        lose(cause);
    }

    // ---- ending --------------------------------------------------------------------------------

    @Override
    public void close() {
        lose(Reason.DISCONNECTED, "closed by this side", null);
    }

    @Override
    public void fail(final Throwable cause) {
        lose(
                cause instanceof IOException
                        ? new FetchException(
                                Reason.DISCONNECTED, address() + ": " + cause.getMessage(), cause)
                        : ConnectionChannel.failed(address(), cause));
    }

    /**
     * Whatever the thread of UCX does for this connection runs in this: it would log what is
     * thrown, and go on while fetches wait.
     */
    void guard(final Runnable task) {
        try {
            task.run();
        } catch (final RuntimeException | Error e) {
            fail(e);
        }
    }

    /** As {@link #fail}, but when UCX has returned. */
    void failLater(final Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        thread.defer(failNow);
    }

    private void failNow() {
        fail(failure);
    }

    /** The caller of open waits no longer. */
    void abort(final FetchException cause) {
        lose(cause);
    }

    void receiveFailed(final int status, final String message) {
        lose(Reason.DISCONNECTED, "ucx: receiving failed: " + message + ", status=" + status, null);
    }

    private void lose(final Reason reason, final String why, final Throwable cause) {
        lose(new FetchException(reason, address() + ": " + why, cause));
    }

    /** Ends the connection and fails everything, once. */
    private void lose(final FetchException cause) {
        if (lost == null) {
            lost = cause;
            guard(this::settle);
        }
    }

    /** Every step may be repeated: where one fails, {@link #watch} comes back to it. */
    private void settle() {
        opened.completeExceptionally(lost);
        slots.forEach(slot -> slot.lose(lost));
        waiting.forEach(fetch -> fetch.fail(lost));
        waiting.clear();
        disconnect();
        transport.left(this);
        settled = true;
    }

    /**
     * Answers that are on their way still find the connection while its link has not ended; until
     * then the node is to see us.
     */
    private void disconnect() {
        if (link == null) {
            disconnected();
            return;
        }
        if (lost.reason() == Reason.TIMED_OUT) {
            link.peerLeft();
        }
        link.close(this::disconnected);
    }

    private void disconnected() {
        transport.forget(id);
        control.close();
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

    /** Whether the node is there its tcp connection knows; here, whether it answers. */
    void watch(final long now) {
        if (lost != null && !settled) {
            guard(this::settle);
        } else if (lost == null && failure != null) {
            failNow();
        } else if (lost == null && inFlight() > 0) {
            guard(() -> watchAnswers(now));
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

    private int inFlight() {
        return slots.size() - freeSlots.size();
    }

    // ---- sending -------------------------------------------------------------------------------

    @Override
    public void add(final PendingFetch fetch) {
        final FetchException obstacle =
                lost == null ? fetch.obstacle(address(), maxRequestLength) : lost;
        if (obstacle == null) {
            waiting.add(fetch);
        } else {
            fetch.fail(obstacle);
        }
    }

    /** Puts go over the tcp connection, which answers for them from here on. */
    @Override
    public void add(final PendingWrite write) {
        if (lost == null) {
            control.add(write);
        } else {
            write.fail(lost);
        }
    }

    @Override
    public void flush() {
        while (lost == null && !freeSlots.isEmpty() && !waiting.isEmpty()) {
            final PendingFetch fetch = waiting.element();
            send(fetch);
            // A connection that was lost meanwhile has answered for all that waited.
            if (waiting.peek() == fetch) {
                waiting.remove();
            }
        }
    }

    /** Where it throws, the fetch waits or is in a slot. */
    private void send(final PendingFetch fetch) {
        final long requestId = (requests << SLOT_BITS) | freeSlots.peek().index();
        final FetchFrame frame = fetch.frame(requestId);
        final Message message = link.newMessage(envelope);
        frame.encode(message.header(), version());
        if (inFlight() == 0) {
            lastAnswerNanos = System.nanoTime();
        }
        requests++;
        message.tell(onSent);
        freeSlots.remove().begin(fetch, requestId, link);
        link.send(message, 0, 0, null);
    }

    // ---- receiving -----------------------------------------------------------------------------

    /** From within UCX; returns the answer to it. */
    int onMessage(final ByteBuffer message, final UcpAmData data) {
        if (lost != null) {
            takeLate(message, data.getLength());
            return UcsConstants.STATUS.UCS_OK;
        }
        try {
            final Opened opened = seal.open(message, data.getLength());
            final ByteBuffer in = opened.header();
            final FrameType type = MessageFrames.typeOf(in, version());
            if (type == FrameType.DATA) {
                return onData(DataFrame.decode(in, version()), opened, data);
            }
            if (data.getLength() > 0) {
                throw new MalformedFrameException(
                        type + " frame: bytes after it=" + data.getLength() + ", expected 0");
            }
            onFrame(type, in);
        } catch (final MalformedFrameException e) {
            thread.defer(() -> lose(Reason.PROTOCOL, e.getMessage(), e));
        } catch (final RuntimeException | Error e) {
            failLater(e);
        }
        return UcsConstants.STATUS.UCS_OK;
    }

    /** A message after the end: no fetch waits for it any more, but the end of the link does. */
    private void takeLate(final ByteBuffer message, final long bodyLength) {
        try {
            final ByteBuffer in = seal.open(message, bodyLength).header();
            final FrameType type = MessageFrames.typeOf(in, version());
            if (type == FrameType.DATA) {
                answered(DataFrame.decode(in, version()).requestId());
            } else if (type == FrameType.ELSEWHERE) {
                answered(ElsewhereFrame.decode(in).requestId());
            } else if (type == FrameType.FAILED) {
                answered(FailedFrame.decode(in).requestId());
            }
        } catch (final MalformedFrameException e) {
            LOG.debug("{}: a malformed frame after the end", address(), e);
        }
    }

    private boolean answered(final long requestId) {
        final int index = (int) (requestId & ((1L << SLOT_BITS) - 1));
        return index < slots.size() && slots.get(index).isAnswered(requestId);
    }

    private void onFrame(final FrameType type, final ByteBuffer body)
            throws MalformedFrameException {
        switch (type) {
            case ELSEWHERE -> onElsewhere(ElsewhereFrame.decode(body));
            case FAILED -> onFailed(FailedFrame.decode(body));
            case PONG -> opened.complete(this);
            default ->
                    throw new MalformedFrameException(
                            type + " frame: not expected from a node over ucx");
        }
    }

    private int onData(final DataFrame frame, final Opened message, final UcpAmData data)
            throws MalformedFrameException {
        final FetchSlot slot = find(FrameType.DATA, frame.requestId());
        if (frame.length() != data.getLength()) {
            throw new MalformedFrameException(
                    "DATA frame: length="
                            + frame.length()
                            + ", expected "
                            + data.getLength()
                            + " as came with it");
        }
        slot.fetch().answered(frame, version());
        lastAnswerNanos = System.nanoTime();
        if (frame.length() == 0) {
            received(slot);
            return UcsConstants.STATUS.UCS_OK;
        }
        return slot.receive(message, data);
    }

    /** Opens the bytes of a slot, which have arrived sealed in their destination. */
    void arrived(final FetchSlot slot) {
        try {
            slot.open(seal);
        } catch (final MalformedFrameException e) {
            thread.defer(() -> lose(Reason.PROTOCOL, e.getMessage(), e));
            return;
        }
        received(slot);
    }

    private void received(final FetchSlot slot) {
        lastAnswerNanos = System.nanoTime();
        slot.fetch().complete();
        free(slot);
        flush();
    }

    private void free(final FetchSlot slot) {
        slot.end();
        freeSlots.add(slot);
    }

    private void onElsewhere(final ElsewhereFrame elsewhere) throws MalformedFrameException {
        final FetchSlot slot = find(FrameType.ELSEWHERE, elsewhere.requestId());
        lastAnswerNanos = System.nanoTime();
        slot.fetch().elsewhere(elsewhere.places());
        free(slot);
        flush();
    }

    private void onFailed(final FailedFrame failed) throws MalformedFrameException {
        final FetchSlot slot = find(FrameType.FAILED, failed.requestId());
        lastAnswerNanos = System.nanoTime();
        slot.fetch().failed(address(), failed);
        free(slot);
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
