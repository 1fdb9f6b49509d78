package io.spillway.protocol;

import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentSource;
import io.spillway.transport.ServedSegment;
import io.spillway.wire.FetchFrame;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fetches of one connection to a node: takes them in their order, checks them, and opens what
 * they ask for. A map output that is not cached is opened by a thread that may block: at most one
 * at a time for a connection. Used by the connection's thread.
 */
public final class FetchQueue {
    private static final Logger LOG = LoggerFactory.getLogger(FetchQueue.class);

    /** Sends the answers. Called by the connection's thread. */
    public interface Answerer {
        /** Whether another answer may begin. */
        boolean hasRoom();

        /** Sends what a fetch asks for. The segment is the answerer's to close. */
        void send(FetchFrame fetch, ServedSegment segment);

        /** Sends that a fetch has failed. */
        void sendFailure(FetchFrame fetch, FetchException cause);

        /** Answers were begun that had waited for a thread that may block. */
        void resumed();

        /** Ends the connection, for a reason. */
        void drop(String reason);
    }

    private final SegmentSource source;
    private final ServerSettings settings;
    private final String jobId;
    private final Executor blocking;
    private final Executor thread;
    private final LogLimiter warnings;
    private final Answerer answerer;
    private final Queue<FetchFrame> waiting = new ArrayDeque<>();
    private int inFlight;
    private boolean opening;
    private boolean closed;

    /**
     * Creates the queue.
     *
     * @param jobId that the client has proved to belong to
     * @param blocking threads that may block
     * @param thread the connection's
     */
    public FetchQueue(
            final SegmentSource source,
            final ServerSettings settings,
            final String jobId,
            final Executor blocking,
            final Executor thread,
            final LogLimiter warnings,
            final Answerer answerer) {
        this.source = source;
        this.settings = settings;
        this.jobId = jobId;
        this.blocking = blocking;
        this.thread = thread;
        this.warnings = warnings;
        this.answerer = answerer;
    }

    /** Takes a fetch; drops the connection of a client that has no credit for it. */
    public void add(final FetchFrame fetch) {
        if (inFlight == settings.credits()) {
            answerer.drop("more fetches in flight than its credits=" + settings.credits());
            return;
        }
        inFlight++;
        waiting.add(fetch);
        answerWaiting();
    }

    /** The answer to one has left, or never will. */
    public void answered() {
        inFlight--;
    }

    /** Whether something is to be answered. */
    public boolean isBusy() {
        return inFlight > 0;
    }

    /** Whether some wait for room. */
    public boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Begins no answer any more. */
    public void close() {
        closed = true;
        waiting.clear();
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    /** Begins answers as long as there is room. */
    public void answerWaiting() {
        while (!closed && !opening && !waiting.isEmpty() && answerer.hasRoom()) {
            answer(waiting.remove());
        }
    }

    private void answer(final FetchFrame fetch) {
        try {
            FetchRequests.check(fetch, jobId, settings.maxRequestLength());
            final ServedSegment cached = source.openIfCached(jobId, FetchRequests.segmentOf(fetch));
            if (cached == null) {
                openElsewhere(fetch);
            } else {
                answerer.send(fetch, cached);
            }
        } catch (final FetchException e) {
            answerer.sendFailure(fetch, e);
        } catch (final RuntimeException e) {
            answerer.sendFailure(fetch, unexpected(fetch, e));
        }
    }

    // ---- opening -------------------------------------------------------------------------------

    private void openElsewhere(final FetchFrame fetch) {
        opening = true;
        try {
            blocking.execute(() -> open(fetch));
        } catch (final RejectedExecutionException e) {
            answerer.drop("the node stops");
        }
    }

    /** On a thread that may block. */
    private void open(final FetchFrame fetch) {
        try {
            final ServedSegment segment = source.open(jobId, FetchRequests.segmentOf(fetch));
            if (!onThread(() -> opened(fetch, segment))) {
                segment.close();
            }
        } catch (final FetchException e) {
            onThread(() -> openFailed(fetch, e));
        } catch (final RuntimeException | Error e) {
            // Whatever it was, an answer must go out: the fetches behind this one wait for it.
            final FetchException cause = unexpected(fetch, e);
            onThread(() -> openFailed(fetch, cause));
        }
    }

    private boolean onThread(final Runnable task) {
        try {
            thread.execute(task);
            return true;
        } catch (final RejectedExecutionException e) {
            LOG.debug("The connection's thread has stopped", e);
            return false;
        }
    }

    private void opened(final FetchFrame fetch, final ServedSegment segment) {
        opening = false;
        if (closed) {
            segment.close();
            return;
        }
        try {
            answerer.send(fetch, segment);
        } catch (final RuntimeException e) {
            answerer.sendFailure(fetch, unexpected(fetch, e));
        }
        answerWaiting();
        answerer.resumed();
    }

    private void openFailed(final FetchFrame fetch, final FetchException cause) {
        opening = false;
        if (closed) {
            return;
        }
        answerer.sendFailure(fetch, cause);
        answerWaiting();
        answerer.resumed();
    }

    /** What a client is told of a failure that should not be, which is logged; any thread. */
    public FetchException unexpected(final FetchFrame fetch, final Throwable cause) {
        warnings.warn("Serving " + fetch + " failed unexpectedly: " + cause);
        LOG.debug("Serving {} failed unexpectedly", fetch, cause);
        return new FetchException(
                FetchException.Reason.SOURCE_FAILED, "the node failed: " + cause, cause);
    }
}
