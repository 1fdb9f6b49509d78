// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.thread;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that owns the shuffle's state. It runs messages one by one, in the order they were
 * sent; the first failure, or {@link #close}, ends it: later messages are dropped. Thread-safe.
 */
public final class ShuffleLoop {
    private static final Logger LOG = LoggerFactory.getLogger(ShuffleLoop.class);

    private static final long JOIN_MILLIS = 5000;

    private final ShuffleThreads threads;
    private final ScheduledExecutorService executor;
    private final Consumer<IOException> onFailure;
    private final Object end = new Object();

    /** Made beforehand, for a failure that leaves no memory to say more. */
    private final IOException failedWithoutMemory =
            new IOException("error in shuffle: Java heap space");

    private Runnable afterEach = () -> {};
    private volatile IOException failure;
    private volatile boolean closed;
    private volatile LoopMessage running;

    /**
     * Creates a loop; its thread starts with the first message.
     *
     * @param threads what the loop's thread and the clock come from
     * @param onFailure takes the failure that ends the loop, once, in the thread that failed
     */
    public ShuffleLoop(final ShuffleThreads threads, final Consumer<IOException> onFailure) {
        this.threads = threads;
        this.onFailure = onFailure;
        this.executor = threads.loop("spillway-shuffle");
    }

    /**
     * Threads beside the loop for calls that block. After its shutdown it drops what it is given.
     */
    public ExecutorService blockingThreads(final String name, final int count) {
        return threads.blocking(name, count);
    }

    /** The time that all deadlines are in. */
    public long nowMillis() {
        return threads.nowMillis();
    }

    /** What is left to chance. */
    public Random random() {
        return threads.random();
    }

    /** Sets what follows each message, as a part of it. Before the first one. */
    public void afterEach(final Runnable action) {
        afterEach = action;
    }

    /** Sends a message. Where that fails, the shuffle has failed: what it says is lost. */
    public void execute(final LoopMessage name, final Runnable message) {
        try {
            executor.execute(() -> guard(name, message));
        } catch (final RuntimeException | Error e) {
            fail(e);
        }
    }

    /** Sends a message later; as {@link #execute} where that fails. */
    public void schedule(final LoopMessage name, final long delayMillis, final Runnable message) {
        try {
            // A message's failure ends the shuffle in guard(): its future tells nothing more.
            final var unused =
                    executor.schedule(
                            () -> guard(name, message), delayMillis, TimeUnit.MILLISECONDS);
        } catch (final RuntimeException | Error e) {
            fail(e);
        }
    }

    /** Sends a message that runs although the loop has failed. */
    public void executeAfterFailure(final Runnable message) {
        executor.execute(message);
    }

    private void guard(final LoopMessage name, final Runnable message) {
        if (isOver()) {
            return;
        }
        running = name;
        try {
            message.run();
            if (!isOver()) {
                afterEach.run();
            }
        } catch (final RuntimeException | Error e) {
            fail(e);
            LOG.error("The shuffle failed in message {}", name, e);
        } finally {
            running = null;
        }
    }

    /** The message that runs now; null when none does. Any thread. */
    public LoopMessage running() {
        return running;
    }

    /** Ends the shuffle with a failure; the first one stays. */
    public void fail(final Throwable cause) {
        final IOException wrapped = wrap(cause);
        synchronized (end) {
            if (isOver()) {
                return;
            }
            failure = wrapped;
        }
        try {
            onFailure.accept(wrapped);
        } catch (final RuntimeException | Error e) {
            // Who waits looks at failure() from time to time.
            LOG.error("Telling of the failure {} failed", wrapped.getMessage(), e);
        }
    }

    private IOException wrap(final Throwable cause) {
        try {
            return new IOException(
                    "error in shuffle in " + Thread.currentThread().getName() + ": " + cause,
                    cause);
        } catch (final OutOfMemoryError e) {
            return failedWithoutMemory;
        }
    }

    /** The failure that has ended the shuffle, or null. */
    public IOException failure() {
        return failure;
    }

    /** Whether the loop has failed or was closed. */
    public boolean isOver() {
        return closed || failure != null;
    }

    /**
     * Drops all further messages.
     *
     * @return false when it was closed before
     */
    public boolean close() {
        synchronized (end) {
            final boolean first = !closed;
            closed = true;
            return first;
        }
    }

    /** Runs a last message, waits for it, but not for long, and ends the thread. */
    public void end(final Runnable last) {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        executor.execute(
                () -> {
                    try {
                        last.run();
                    } finally {
                        done.complete(null);
                    }
                });
        awaitDone(done);
        executor.shutdownNow();
    }

    /** Waits even when the task was interrupted: local files are deleted meanwhile. */
    private void awaitDone(final CompletableFuture<Void> done) {
        final long deadline = nowMillis() + JOIN_MILLIS;
        boolean interrupted = false;
        while (!done.isDone() && nowMillis() < deadline) {
            try {
                threads.get(done, deadline - nowMillis());
            } catch (final TimeoutException | ExecutionException e) {
                LOG.warn("The shuffle's loop does not end", e);
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
