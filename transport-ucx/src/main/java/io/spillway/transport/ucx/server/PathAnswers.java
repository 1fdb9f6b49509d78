// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import io.spillway.protocol.FetchQueue;
import io.spillway.protocol.FetchRequests;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.ucx.worker.Envelope;
import io.spillway.transport.ucx.worker.Link;
import io.spillway.transport.ucx.worker.Message;
import io.spillway.transport.ucx.worker.PathSeal;
import io.spillway.transport.ucx.worker.UcxThread;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FetchFrame;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Answers the fetches of one connection: begins them in their order, with no more bytes on their
 * way to the client than the settings allow. One of them at most waits for memory, so that all
 * connections get their turn. Used by the thread of UCX; map outputs are opened and read by threads
 * of the server.
 */
final class PathAnswers implements FetchQueue.Answerer {
    private final UcxSegmentServer server;
    private final UcxThread thread;
    private final String jobId;
    private final String peer;
    private final boolean prefetch;
    private final Link link;
    private final PathSeal seal;
    private final Envelope envelope;
    private final Runnable onProgress;
    private final Consumer<String> drop;
    private final FetchQueue fetches;
    private long bytesInFlight;
    private boolean warned;
    private Answer starving;

    /**
     * Creates the queue.
     *
     * @param thread of the connection's worker
     * @param peer who asks, for the log
     * @param prefetch whether to read ahead for this client, and to send it what was
     * @param seal of the link
     * @param onProgress called when bytes leave
     * @param drop ends the connection, for a reason
     */
    PathAnswers(
            final UcxSegmentServer server,
            final UcxThread thread,
            final String jobId,
            final String peer,
            final boolean prefetch,
            final Link link,
            final PathSeal seal,
            final Envelope envelope,
            final Runnable onProgress,
            final Consumer<String> drop) {
        this.server = server;
        this.thread = thread;
        this.jobId = jobId;
        this.peer = peer;
        this.prefetch = prefetch;
        this.link = link;
        this.seal = seal;
        this.envelope = envelope;
        this.onProgress = onProgress;
        this.drop = drop;
        this.fetches =
                new FetchQueue(
                        server.source(),
                        server.settings(),
                        jobId,
                        server.readers(),
                        thread,
                        server.warnings(),
                        this);
    }

    /** Whose fetches it answers. */
    String jobId() {
        return jobId;
    }

    /** The seal of its messages. */
    PathSeal seal() {
        return seal;
    }

    /** Takes a fetch. */
    void add(final FetchFrame fetch) {
        fetches.add(fetch);
    }

    /** Ends the connection where a fetch could not be answered; to be called now and then. */
    void check() {
        fetches.check();
    }

    /** Whether something is to be sent. */
    boolean isBusy() {
        return fetches.isBusy();
    }

    /** Gives back what no thread works on; the rest follows when it is done. */
    void close() {
        fetches.close();
        if (starving != null) {
            starving.abandon(true);
            starving = null;
        }
    }

    @Override
    public boolean hasRoom() {
        return starving == null && bytesInFlight < server.connectionBytes();
    }

    @Override
    public void resumed() {}

    @Override
    public void drop(final String reason) {
        drop.accept(reason);
    }

    // ---- bytes ---------------------------------------------------------------------------------

    @Override
    public void send(final FetchFrame fetch, final ServedSegment segment) {
        final int length;
        try {
            length = FetchRequests.lengthOf(fetch, segment);
            if (length == 0) {
                sendNothing(fetch, segment);
            }
        } catch (final FetchException e) {
            segment.close();
            sendFailure(fetch, e);
            return;
        } catch (final RuntimeException | Error e) {
            segment.close();
            throw e;
        }
        if (length == 0) {
            segment.close();
            return;
        }
        final CachedBytes cached = prefetch ? segment.cached(fetch.offset(), length) : null;
        final Answer answer = new Answer(this, fetch, segment, cached, length);
        bytesInFlight += length;
        await(answer);
    }

    private void await(final Answer answer) {
        starving = answer;
        try {
            answer.awaitBuffer(thread.buffers());
        } catch (final RuntimeException | Error e) {
            starving = null;
            bytesInFlight -= answer.length();
            answer.abandon(true);
            throw e;
        }
    }

    /** There is memory for its bytes. */
    void hasBuffer(final Answer answer) {
        starving = null;
        try {
            server.readers().execute(answer);
        } catch (final RejectedExecutionException e) {
            answer.abandon(true);
            thread.defer(() -> drop.accept("the node stops"));
            return;
        } catch (final RuntimeException | Error e) {
            // Whether it will be read is not known: its memory stays taken, and the client goes.
            thread.defer(() -> drop.accept("reading for it failed: " + e));
            return;
        }
        thread.defer(() -> guard(fetches::answerWaiting));
    }

    /** There is no memory for its bytes. */
    void hasNoBuffer(final Answer answer, final Throwable cause) {
        if (starving == answer) {
            starving = null;
        }
        guard(() -> failed(answer, fetches.outOfMemory(answer.fetch(), cause)));
        thread.defer(() -> guard(fetches::answerWaiting));
    }

    /** Brings an answer back to the thread of UCX; any thread. */
    void onThread(final Answer answer, final Runnable task) {
        boolean taken = false;
        try {
            taken = thread.tryExecute(task);
        } finally {
            if (!taken) {
                fetches.lostWay();
                answer.abandon(false);
            }
        }
    }

    /** The bytes of an answer were read, or that failed. */
    void hasRead(final Answer answer, final Throwable failure) {
        if (fetches.isClosed()) {
            answer.abandon(true);
            return;
        }
        guard(
                () -> {
                    if (failure == null) {
                        sendRead(answer);
                    } else {
                        failed(answer, fetches.unreadable(answer.fetch(), failure));
                    }
                    fetches.answerWaiting();
                });
    }

    private void sendRead(final Answer answer) {
        try {
            send(answer);
        } catch (final RuntimeException | Error e) {
            sendFailure(answer.fetch(), fetches.unexpected(answer.fetch(), e));
        }
    }

    private void failed(final Answer answer, final FetchException cause) {
        answer.abandon(true);
        bytesInFlight -= answer.length();
        sendFailure(answer.fetch(), cause);
    }

    /** A client that gets no answer is dropped. */
    private void guard(final Runnable task) {
        try {
            task.run();
        } catch (final RuntimeException | Error e) {
            fetches.lostWay();
            thread.defer(() -> drop.accept("answering it failed: " + e));
        }
    }

    // ---- sending -------------------------------------------------------------------------------

    /** Where it throws, nothing was sent, and the answer is given up. */
    private void send(final Answer answer) {
        final Message message;
        try {
            message = link.newMessage(envelope, answer.number());
            FetchRequests.answer(
                            answer.fetch(), answer.segment(), answer.length(), envelope.version())
                    .encode(message.header(), envelope.version());
            message.header().put(answer.tags());
        } catch (final RuntimeException | Error e) {
            answer.abandon(true);
            bytesInFlight -= answer.length();
            throw e;
        }
        answer.closeSegment();
        message.tell(answer);
        guard(() -> link.send(message, answer.address(), answer.length(), answer.params()));
    }

    /** The bytes of an answer have left, or never will. */
    void sent(final Answer answer, final boolean wentOut) {
        fetches.answered();
        bytesInFlight -= answer.length();
        if (fetches.isClosed()) {
            return;
        }
        if (wentOut) {
            server.counters().addRequest();
            server.counters().addBytes(answer.from(), answer.length());
            onProgress.run();
            thread.defer(() -> guard(fetches::answerWaiting));
        } else {
            thread.defer(() -> drop.accept("sending to it failed"));
        }
    }

    private void sendNothing(final FetchFrame fetch, final ServedSegment segment) {
        final Message message = link.newMessage(envelope);
        FetchRequests.answer(fetch, segment, 0, envelope.version())
                .encode(message.header(), envelope.version());
        server.counters().addRequest();
        sendShort(message);
    }

    @Override
    public void sendElsewhere(final FetchFrame fetch, final SegmentPlaces places) {
        final Message message = link.newMessage(envelope);
        FetchRequests.elsewhere(fetch, places).encode(message.header(), envelope.version());
        server.counters().addRequest();
        sendShort(message);
    }

    @Override
    public void sendFailure(final FetchFrame fetch, final FetchException cause) {
        final FailedFrame frame = FetchRequests.failure(fetch, cause);
        final Message message = link.newMessage(envelope);
        frame.encode(message.header(), envelope.version());
        server.counters().addFailure();
        warnOnceOf(fetch, cause);
        sendShort(message);
    }

    /** No reducer of ours asks for what is not its job's, or lies outside a segment. */
    private void warnOnceOf(final FetchFrame fetch, final FetchException cause) {
        final FetchException.Reason reason = cause.reason();
        if (warned
                || (reason != FetchException.Reason.UNAUTHORIZED
                        && reason != FetchException.Reason.OUT_OF_RANGE)) {
            return;
        }
        warned = true;
        server.warnings().warn("Refusing " + fetch + " of " + peer + ": " + cause.getMessage());
    }

    private void sendShort(final Message message) {
        message.tell(
                wentOut -> {
                    fetches.answered();
                    onProgress.run();
                });
        link.send(message, 0, 0, null);
    }
}
