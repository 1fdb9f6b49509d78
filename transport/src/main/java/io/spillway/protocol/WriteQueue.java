// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.serve.NodeService;
import io.spillway.transport.serve.PutMemory;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.wire.AckFrame;
import io.spillway.wire.AnswerFrame;
import io.spillway.wire.CallFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.WriteFrame;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The puts, commits, aborts and calls of one connection to a node: checks the client's credits,
 * hands the bytes to the sink or the service, and answers. Used by the connection's thread.
 */
public final class WriteQueue {
    private static final Logger LOG = LoggerFactory.getLogger(WriteQueue.class);

    /** Sends the answers. Called by the connection's thread. */
    public interface Answerer {
        /** Sends that a write is done. */
        void acknowledge(AckFrame frame);

        /** Sends the answer to a call; {@code onSent} runs when its bytes have left. */
        void answer(AnswerFrame frame, ByteBuffer bytes, Runnable onSent);

        /** Sends that a write has failed. */
        void refuse(FailedFrame frame);

        /** A write that {@link IncomingWrite#isWaiting waited} takes bytes now. */
        void resumed(IncomingWrite write);

        /** Ends the connection, for a reason. */
        void drop(String reason);
    }

    private final SegmentSink sink;
    private final NodeService service;
    private final PutMemory memory;
    private final Executor commits;
    private final ServerSettings settings;
    private final String jobId;
    private final int version;
    private final Executor thread;
    private final LogLimiter warnings;
    private final Answerer answerer;
    private final Set<IncomingWrite> unanswered = new HashSet<>();
    private long unansweredBytes;

    /** Calls without an answer, and answers that have not left. */
    private int calls;

    private boolean closed;

    /** A write will get no answer: the connection has to end. */
    private volatile boolean broken;

    /**
     * Creates the queue.
     *
     * @param source its sink takes the bytes, and its service the calls; a node may have neither
     * @param memory what its writes may take
     * @param commits one thread that commits and aborts, for all connections
     * @param jobId that the client has proved to belong to
     * @param version of the session
     * @param thread the connection's
     */
    public WriteQueue(
            final SegmentSource source,
            final PutMemory memory,
            final Executor commits,
            final ServerSettings settings,
            final String jobId,
            final int version,
            final Executor thread,
            final LogLimiter warnings,
            final Answerer answerer) {
        this.sink = source.sink().orElse(null);
        this.service = source.service().orElse(null);
        this.memory = memory;
        this.commits = commits;
        this.settings = settings;
        this.jobId = jobId;
        this.version = version;
        this.thread = thread;
        this.warnings = warnings;
        this.answerer = answerer;
    }

    /**
     * Takes a write, whose payload is to be given to it; drops the connection of a client that has
     * no credit for it.
     *
     * @return null where the connection was dropped
     */
    public IncomingWrite begin(final WriteFrame frame) {
        if (unanswered.size() == settings.putCredits()
                || frame.payloadLength() > settings.putBytes() - unansweredBytes) {
            answerer.drop(
                    "more puts without an answer than its credits="
                            + settings.putCredits()
                            + ", bytes="
                            + settings.putBytes());
            return null;
        }
        if (frame instanceof CallFrame && ++calls > CallFrame.MAX_CALLS) {
            answerer.drop("more calls without an answer than " + CallFrame.MAX_CALLS);
            return null;
        }
        final IncomingWrite write = new IncomingWrite(this, frame);
        unanswered.add(write);
        unansweredBytes += frame.payloadLength();
        write.start();
        return write;
    }

    /** Whether something is to be answered. */
    public boolean isBusy() {
        return !unanswered.isEmpty();
    }

    /** Takes and answers nothing any more. */
    public void close() {
        closed = true;
        for (final Iterator<IncomingWrite> writes = unanswered.iterator(); writes.hasNext(); ) {
            final IncomingWrite write = writes.next();
            writes.remove();
            close(write);
        }
    }

    /** What one throws must not leave the memory of the others taken. */
    private void close(final IncomingWrite write) {
        try {
            write.close();
        } catch (final RuntimeException | Error e) {
            warnings.warn("Abandoning " + write.frame() + " failed: " + e);
            LOG.debug("Abandoning {} failed", write.frame(), e);
        }
    }

    /**
     * Drops the connection where a write got no answer and nothing else has ended it, or where the
     * bytes of one come too slowly. To be called from time to time: a thread that cannot reach the
     * connection's has no other way.
     */
    public void check() {
        if (closed) {
            return;
        }
        if (broken) {
            answerer.drop("a put could not be answered");
            return;
        }
        for (final IncomingWrite write : unanswered) {
            if (write.isOverdue()) {
                answerer.drop("the bytes of a put come too slowly: " + write.frame());
                return;
            }
        }
    }

    // ---- of the writes -------------------------------------------------------------------------

    SegmentSink sink() throws FetchException {
        if (sink == null) {
            throw new FetchException(Reason.NO_SINK, "this node takes no puts");
        }
        return sink;
    }

    NodeService service() throws FetchException {
        if (service == null) {
            throw new FetchException(Reason.NO_SERVICE, "this node answers no calls");
        }
        return service;
    }

    PutMemory memory() {
        return memory;
    }

    Executor commits() {
        return commits;
    }

    String jobId() {
        return jobId;
    }

    int version() {
        return version;
    }

    /** How long the bytes of a short put may take. */
    long patienceMillis() {
        return settings.idleTimeoutMillis();
    }

    boolean isClosed() {
        return closed;
    }

    void resumed(final IncomingWrite write) {
        answerer.resumed(write);
    }

    /**
     * Answers a write. A second answer has no effect.
     *
     * @param failure null where it is done
     * @param answer the bytes that a call is answered with; else null
     */
    void answer(final IncomingWrite write, final Throwable failure, final ByteBuffer answer) {
        if (closed || !unanswered.remove(write)) {
            return;
        }
        final WriteFrame frame = write.frame();
        unansweredBytes -= frame.payloadLength();
        try {
            if (failure != null) {
                calls -= frame instanceof CallFrame ? 1 : 0;
                answerer.refuse(refusal(frame, failure));
            } else if (answer != null) {
                answerer.answer(AnswerFrame.of(frame, version, answer), answer, () -> calls--);
            } else {
                answerer.acknowledge(new AckFrame(frame.requestId(), frame.guard(version)));
            }
        } catch (final RuntimeException | Error e) {
            broken = true;
            answerer.drop("answering its put failed: " + e);
        }
    }

    private FailedFrame refusal(final WriteFrame frame, final Throwable failure) {
        final FetchException cause =
                failure instanceof FetchException known ? known : unexpected(frame, failure);
        return new FailedFrame(
                frame.requestId(), FailureCodes.codeOf(cause.reason()), cause.getMessage());
    }

    private FetchException unexpected(final WriteFrame frame, final Throwable cause) {
        warnings.warn("Taking " + frame + " failed unexpectedly: " + cause);
        LOG.debug("Taking {} failed unexpectedly", frame, cause);
        return new FetchException(
                cause instanceof OutOfMemoryError ? Reason.BUSY : Reason.SOURCE_FAILED,
                "the node failed: " + cause,
                cause);
    }

    /** Runs a task on the connection's thread; returns whether it will. Any thread. */
    boolean onThread(final Runnable task) {
        try {
            thread.execute(task);
            return true;
        } catch (final RejectedExecutionException e) {
            LOG.debug("The connection's thread has stopped", e);
        } catch (final RuntimeException | Error e) {
            broken = true;
            LOG.debug("The connection's thread cannot be reached", e);
        }
        return false;
    }

    /** What a task of a write throws ends the connection. */
    void failed(final Throwable cause) {
        broken = true;
        answerer.drop("taking its put failed: " + cause);
    }
}
