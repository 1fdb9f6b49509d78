// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.wire.FetchFrame;
import java.io.IOException;
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

        /**
         * Sends what a fetch asks for. The segment is the answerer's to close, also where this
         * throws; then nothing has been sent, and {@link #sendFailure} follows.
         */
        void send(FetchFrame fetch, ServedSegment segment);

        /** Sends that another node has what a fetch asks for. */
        void sendElsewhere(FetchFrame fetch, SegmentPlaces places);

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

    /** A fetch will get no answer: the connection has to end. */
    private volatile boolean broken;

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
            FetchRequests.check(fetch, settings.maxRequestLength());
            final SegmentAnswer cached = source.openIfCached(jobId, FetchRequests.segmentOf(fetch));
            if (cached == null) {
                openOnOtherThread(fetch);
            } else {
                answer(fetch, cached);
            }
        } catch (final FetchException | RuntimeException | Error e) {
            answerFailure(fetch, e);
        }
    }

    private void answer(final FetchFrame fetch, final SegmentAnswer answer) {
        if (answer instanceof SegmentPlaces places) {
            answerer.sendElsewhere(fetch, places);
        } else {
            answerer.send(fetch, (ServedSegment) answer);
        }
    }

    /** A client that no failure can be sent to sees its connection end. */
    private void answerFailure(final FetchFrame fetch, final Throwable cause) {
        try {
            answerer.sendFailure(
                    fetch,
                    cause instanceof FetchException known ? known : unexpected(fetch, cause));
        } catch (final RuntimeException | Error e) {
            giveUp(e);
        }
    }

    /** No answer can be given any more. Where dropping fails too, {@link #check} repeats it. */
    private void giveUp(final Throwable cause) {
        broken = true;
        answerer.drop("answering it failed: " + cause);
    }

    /**
     * Drops the connection where a fetch got no answer and nothing else has ended it. To be called
     * from time to time: a thread that cannot reach the connection's has no other way.
     */
    public void check() {
        if (broken && !closed) {
            answerer.drop("a fetch could not be answered");
        }
    }

    // ---- opening -------------------------------------------------------------------------------

    private void openOnOtherThread(final FetchFrame fetch) {
        final Opening task = new Opening(fetch);
        opening = true;
        try {
            blocking.execute(task);
        } catch (final RejectedExecutionException e) {
            answerer.drop("the node stops");
        } catch (final RuntimeException | Error e) {
            // Whether the task was taken is not known: another answer must not follow.
            giveUp(e);
        }
    }

    /** Opens what one fetch asks for. Its way back is made beforehand: it needs no memory. */
    private final class Opening implements Runnable {
        private final FetchFrame fetch;
        private final Runnable way = this::returned;
        private SegmentAnswer found;
        private Throwable failure;

        Opening(final FetchFrame fetch) {
            this.fetch = fetch;
        }

        /** On a thread that may block. */
        @Override
        public void run() {
            try {
                found = source.open(jobId, FetchRequests.segmentOf(fetch));
            } catch (final FetchException | RuntimeException | Error e) {
                failure = e;
            }
            if (!onThread(way)) {
                close();
            }
        }

        private void close() {
            if (found instanceof ServedSegment segment) {
                segment.close();
            }
        }

        /** On the connection's thread. */
        private void returned() {
            opening = false;
            if (closed) {
                close();
                return;
            }
            try {
                answerOpened();
                answerWaiting();
                answerer.resumed();
            } catch (final RuntimeException | Error e) {
                giveUp(e);
            }
        }

        private void answerOpened() {
            if (failure != null) {
                answerFailure(fetch, failure);
                return;
            }
            try {
                answer(fetch, found);
            } catch (final RuntimeException | Error e) {
                answerFailure(fetch, e);
            }
        }
    }

    /** Runs a task on the connection's thread; false where it does not get there. Any thread. */
    public boolean onThread(final Runnable task) {
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

    /** The answer to a client for an unexpected failure, which is logged; any thread. */
    public FetchException unexpected(final FetchFrame fetch, final Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            return outOfMemory(fetch, cause);
        }
        warnings.warn("Serving " + fetch + " failed unexpectedly: " + cause);
        LOG.debug("Serving {} failed unexpectedly", fetch, cause);
        return new FetchException(
                FetchException.Reason.SOURCE_FAILED, "the node failed: " + cause, cause);
    }

    /** The answer to a client where memory is missing: the map output is sound. Any thread. */
    public FetchException outOfMemory(final FetchFrame fetch, final Throwable cause) {
        warnings.warn("No memory to serve " + fetch + ": " + cause);
        return new FetchException(
                FetchException.Reason.BUSY, "the node has no memory for it now: " + cause, cause);
    }

    /** The answer to a client where the bytes of a segment could not be read. Any thread. */
    public FetchException unreadable(final FetchFrame fetch, final Throwable cause) {
        if (!(cause instanceof IOException)) {
            return unexpected(fetch, cause);
        }
        warnings.warn("Serving " + fetch + " failed: " + cause.getMessage());
        return new FetchException(
                FetchException.Reason.SOURCE_FAILED, String.valueOf(cause.getMessage()), cause);
    }

    /** A thread other than the connection's cannot bring what it has; {@link #check} acts on it. */
    public void lostWay() {
        broken = true;
    }
}
