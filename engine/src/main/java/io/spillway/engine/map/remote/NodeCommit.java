// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import io.spillway.engine.spi.RemoteOutput;
import io.spillway.thread.Uninterrupted;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.OutputSummary;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * The commit of an output at one node, and what became of it. Where the answer is lost, the node is
 * asked again over another connection: a commit that is repeated changes nothing. One thread.
 */
final class NodeCommit {
    private static final long PAUSE_MILLIS = 200;

    /** After these the node may have done what it was asked for, or not. */
    private static final Set<Reason> UNCLEAR =
            EnumSet.of(
                    Reason.DISCONNECTED,
                    Reason.TIMED_OUT,
                    Reason.PROTOCOL,
                    Reason.LOCAL,
                    Reason.BUSY,
                    Reason.SOURCE_FAILED);

    private final RemoteOutput output;
    private final Channel node;
    private final long patienceMillis;
    private final Function<Channel, CompletableFuture<Void>> commit;
    private final CompletableFuture<Void> first;

    private NodeCommit(
            final RemoteOutput output,
            final Channel node,
            final OutputSummary summary,
            final long patienceMillis) {
        this.output = output;
        this.node = node;
        this.patienceMillis = patienceMillis;
        this.commit = channel -> channel.commit(summary);
        this.first = commit.apply(node);
    }

    /**
     * Sends the commit.
     *
     * @param patienceMillis how long to ask again
     */
    static NodeCommit send(
            final RemoteOutput output,
            final Channel node,
            final OutputSummary summary,
            final long patienceMillis) {
        return new NodeCommit(output, node, summary, patienceMillis);
    }

    Channel node() {
        return node;
    }

    /**
     * Waits for the answer.
     *
     * @return null where the node has the whole output; else why it has not
     * @throws UnclearCommitException where it does not say
     */
    FetchException await() throws UnclearCommitException {
        return settle(commit, failureOf(first));
    }

    /**
     * Has the node forget what it has committed.
     *
     * @throws UnclearCommitException where it does not say that it has
     */
    void withdraw() throws UnclearCommitException {
        final Function<Channel, CompletableFuture<Void>> abort =
                channel -> channel.abort(output.output());
        // Whatever else the node answers, it does not have the output.
        final FetchException unused = settle(abort, failureOf(abort.apply(node)));
    }

    /** Asks again until the node answers. */
    private FetchException settle(
            final Function<Channel, CompletableFuture<Void>> request, final FetchException former)
            throws UnclearCommitException {
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        FetchException last = former;
        while (last != null && UNCLEAR.contains(last.reason())) {
            if (System.nanoTime() - deadline >= 0) {
                throw new UnclearCommitException(node.address(), output.output(), last);
            }
            pause();
            last = askAgain(request);
        }
        return last;
    }

    private static void pause() {
        Uninterrupted.await(
                () -> {
                    Thread.sleep(PAUSE_MILLIS);
                    return null;
                });
    }

    private FetchException askAgain(final Function<Channel, CompletableFuture<Void>> request) {
        // Without the flag of the user's thread, by which the opening would end.
        try (Channel again = Uninterrupted.call(() -> output.connector().open(node.address()))) {
            return again.epoch() == node.epoch()
                    ? failureOf(request.apply(again))
                    : new FetchException(
                            Reason.NOT_FOUND,
                            node.address() + " was started again: it has nothing");
        } catch (final FetchException e) {
            return e;
        } catch (final IOException e) {
            return new FetchException(Reason.LOCAL, "no other connection: " + e, e);
        }
    }

    /** The commit is of the user's thread, whose flag the job's code may have set. */
    private FetchException failureOf(final CompletableFuture<Void> answer) {
        return Uninterrupted.await(() -> failureWithin(answer));
    }

    private FetchException failureWithin(final CompletableFuture<Void> answer)
            throws InterruptedException {
        try {
            answer.get(patienceMillis, TimeUnit.MILLISECONDS);
            return null;
        } catch (final TimeoutException e) {
            return new FetchException(
                    Reason.TIMED_OUT, "no answer within " + patienceMillis + " ms", e);
        } catch (final ExecutionException e) {
            return e.getCause() instanceof FetchException known
                    ? known
                    : new FetchException(Reason.LOCAL, "the request failed: " + e, e);
        }
    }
}
