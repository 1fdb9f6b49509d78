// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.frame.FrameHeader;
import io.spillway.wire.FrameType;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One endpoint of UCX: sends messages, and ends without leaving anything behind. Used by the thread
 * of UCX.
 */
public final class Link {
    /** The id of all messages. */
    public static final int MESSAGE = 1;

    private static final Logger LOG = LoggerFactory.getLogger(Link.class);

    /** More than the minute after which UCX reports a peer that takes nothing. */
    private static final long MAX_FLUSH_NANOS = TimeUnit.MINUTES.toNanos(2);

    /** Tells why the link broke; called once at most, and not from within a call of this class. */
    public interface BreakListener {
        void onBroken(int status, String message);
    }

    /**
     * UCX 1.13 does not report the end of some messages to a peer that was killed. It reports all
     * others within milliseconds of the endpoint's end.
     */
    private static final long MAX_REPORT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final UcxCallback whenFlushed =
            new UcxCallback() {
                @Override
                public void onSuccess(final UcpRequest request) {
                    endIfQuiet();
                }

                @Override
                public void onError(final int status, final String message) {
                    endIfQuiet();
                }
            };

    private final UcxThread thread;
    private final PathSeal seal;
    private final UcpEndpoint endpoint;
    private BreakListener listener;
    private UcpRequest closing;
    private boolean closed;
    private boolean ended;
    private Runnable onEnd = () -> {};

    /** UCX has ended the endpoint with an error. */
    private boolean broken;

    /** The peer is gone, or takes nothing. */
    private boolean left;

    /** A message has gone, so UCX has connected the endpoint. */
    private boolean connected;

    /** Completes when the endpoint has no bytes for a socket that is full; null before. */
    private UcpRequest flush;

    private long flushBeganNanos;

    /** What UCX is sending or receiving. */
    private int operations;

    /** Those of them that are messages which UCX sends. */
    private final Set<Message> leaving = new HashSet<>();

    private long endedNanos;

    /** Requests that the peer has not answered. */
    private int owed;

    /**
     * Creates the endpoint; it connects in the background.
     *
     * @param worker the address of the peer's worker
     * @param seal of the messages that it sends
     * @throws UcxException when there is no way to the peer, or the address is not one of UCX
     * @throws OutOfMemoryError where there is no memory for it
     */
    public Link(
            final UcxThread thread,
            final ByteBuffer worker,
            final PathSeal seal,
            final BreakListener listener) {
        this.thread = thread;
        this.seal = seal;
        this.listener = listener;
        final UcpEndpointParams params =
                new UcpEndpointParams()
                        .setUcpAddress(WorkerAddress.padded(thread.memory(), worker))
                        .setPeerErrorHandlingMode()
                        .setErrorHandler((unused, status, message) -> broke(status, message));
        this.endpoint = thread.worker().newEndpoint(params);
    }

    /** From within UCX: what it leads to must wait until UCX has returned. */
    private void broke(final int status, final String message) {
        broken = true;
        thread.defer(
                () -> {
                    final BreakListener told = listener;
                    listener = null;
                    if (told != null) {
                        told.onBroken(status, message);
                    }
                });
    }

    /** A message to this link's other end, which begins with the envelope. */
    public Message newMessage(final Envelope envelope) {
        return newMessage(envelope, seal.reserve());
    }

    /** As the other method, with a number that was reserved before. */
    public Message newMessage(final Envelope envelope, final long number) {
        final Message message = new Message(this, thread.headers(), number);
        envelope.encode(message.header());
        seal.begin(number, message.header());
        return message;
    }

    /** Sends one frame without a body; the listener learns when it went. */
    public void send(final Envelope envelope, final FrameType type, final Message.Listener sent) {
        final Message message = newMessage(envelope);
        message.tell(sent);
        FrameHeader.encode(message.header(), type, envelope.version(), 0);
        send(message, 0, 0, null);
    }

    /**
     * Sends a message with bytes, which stay as they are until the message's listener is called.
     */
    public void send(
            final Message message,
            final long dataAddress,
            final int dataLength,
            final UcpRequestParams params) {
        if (closed) {
            message.end(false);
            return;
        }
        seal.end(message.number(), message.header());
        message.leaves();
        try {
            endpoint.sendAmNonBlocking(
                    MESSAGE,
                    message.headerAddress(),
                    message.headerLength(),
                    dataAddress,
                    dataLength,
                    0,
                    message,
                    params);
        } catch (final UcxException e) {
            LOG.debug("Sending failed: status={}", e.getStatus(), e);
            message.end(false);
        }
    }

    /** The peer is gone, or takes nothing: {@link #close} is not to wait for it. */
    public void peerLeft() {
        left = true;
        endIfQuiet();
    }

    // ---- what is under way ---------------------------------------------------------------------

    /** UCX sends a message. */
    void leaves(final Message message) {
        leaving.add(message);
        operationBegan();
    }

    /** UCX has ended the sending of a message. */
    void hasLeft(final Message message, final boolean wentOut) {
        leaving.remove(message);
        connected |= wentOut;
        operationEnded();
    }

    /** UCX sends or receives something over this link. */
    public void operationBegan() {
        operations++;
        thread.operationBegan();
    }

    /** UCX has ended that. */
    public void operationEnded() {
        operations--;
        thread.operationEnded();
        endIfQuiet();
    }

    /** The peer was asked for something. */
    public void requestBegan() {
        owed++;
    }

    /** It has answered. */
    public void requestEnded() {
        owed--;
        endIfQuiet();
    }

    private void endIfQuiet() {
        if (closed && isQuiet()) {
            thread.defer(this::isEnded);
        }
    }

    /** Whether the endpoint may go. */
    private boolean isQuiet() {
        return broken || left || (operations == 0 && owed == 0);
    }

    // ---- the end -------------------------------------------------------------------------------

    /** As {@link #close(Runnable)}, without a listener. */
    public void close() {
        close(() -> {});
    }

    /**
     * Ends the link, which sends nothing more from now on. UCX 1.13 aborts the process where an
     * endpoint goes while bytes move over it, so that this is what is waited for first; also for
     * answers that the peer owes, for it cannot end what it sends to an endpoint that is gone. A
     * peer that is gone itself is not waited for: UCX cancels what is under way then, and reports
     * the end of each operation some time after that of the endpoint. Idempotent.
     *
     * @param end runs when the endpoint is gone
     */
    public void close(final Runnable end) {
        if (closed) {
            return;
        }
        thread.finish(this);
        closed = true;
        listener = null;
        onEnd = end;
        endIfQuiet();
    }

    /**
     * Whether UCX has let go of the endpoint and of all memory that it was given with it, or has
     * reported nothing of it for too long; once {@link #close} was called. The worker stays until
     * then.
     */
    boolean isEnded() {
        if (closing == null && !ended && isQuiet() && isFlushed()) {
            closeEndpoint();
        }
        if (!ended && closing != null && closing.isCompleted()) {
            end();
        }
        if (ended && !leaving.isEmpty() && System.nanoTime() - endedNanos >= MAX_REPORT_NANOS) {
            abandonMessages();
        }
        return ended && operations == 0;
    }

    /**
     * Gives back the memory of messages whose end UCX does not report. Their peer is gone, so that
     * no process receives what UCX may still read of it. UCX 1.13 aborts where a worker with such
     * messages is destroyed.
     */
    private void abandonMessages() {
        LOG.debug("UCX did not report the end of {} messages", leaving.size());
        thread.leaveWorkerToUcx();
        List.copyOf(leaving).forEach(message -> message.end(false));
    }

    /**
     * Whether UCX has no bytes left for a socket that is full. Where an endpoint over UCX's tcp is
     * closed before that, UCX 1.13 sends its farewell in a loop until the socket has room ({@code
     * uct_tcp_cm_send_event}), or still waits for room when the peer's farewell arrives: where both
     * come as one event, it frees the endpoint for the one and follows it for the other ({@code
     * uct_tcp_iface_handle_events}), and the process ends.
     */
    private boolean isFlushed() {
        if (broken || !connected || !thread.mayUseSockets()) {
            return true;
        }
        if (flush == null) {
            flushBeganNanos = System.nanoTime();
        } else if (System.nanoTime() - flushBeganNanos >= MAX_FLUSH_NANOS) {
            return true;
        } else if (!flush.isCompleted()) {
            return false;
        }
        // UCX waits for room until it has seen some, also with nothing left to send.
        thread.takeWhatIsReady();
        try {
            flush = endpoint.flushNonBlocking(whenFlushed);
        } catch (final UcxException e) {
            LOG.debug("Flushing failed: status={}", e.getStatus(), e);
            return true;
        }
        return flush.isCompleted();
    }

    private void closeEndpoint() {
        try {
            // UCX keeps an endpoint that was closed in any other way until its worker ends.
            closing = endpoint.closeNonBlockingForce();
        } catch (final UcxException e) {
            LOG.debug("Closing failed: status={}", e.getStatus(), e);
            end();
        }
    }

    private void end() {
        ended = true;
        endedNanos = System.nanoTime();
        onEnd.run();
    }
}
