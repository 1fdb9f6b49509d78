// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.thread;

import io.spillway.thread.DaemonThreads;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Threads of the system, all of them daemons, and its monotonic clock. Thread-safe. */
public final class SystemThreads implements ShuffleThreads {
    private final Random random = new Random();

    @Override
    public long nowMillis() {
        return System.nanoTime() / 1_000_000;
    }

    @Override
    public Random random() {
        return random;
    }

    @Override
    public ScheduledExecutorService loop(final String name) {
        final ScheduledThreadPoolExecutor executor =
                new ScheduledThreadPoolExecutor(1, DaemonThreads.numbered(name));
        executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    @Override
    public ExecutorService blocking(final String name, final int count) {
        final ThreadPoolExecutor executor =
                (ThreadPoolExecutor)
                        Executors.newFixedThreadPool(count, DaemonThreads.numbered(name));
        executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return executor;
    }

    @Override
    public Thread thread(final String name, final Runnable body) {
        return DaemonThreads.of(name, body);
    }

    @Override
    public void sleep(final long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    @Override
    public boolean await(final Object monitor, final BooleanSupplier condition, final long millis)
            throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        synchronized (monitor) {
            while (!condition.getAsBoolean()) {
                final long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(monitor, left);
            }
            return true;
        }
    }

    @Override
    public <T> T get(final Future<T> result, final long millis)
            throws InterruptedException, ExecutionException, TimeoutException {
        return result.get(millis, TimeUnit.MILLISECONDS);
    }
}
