// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.thread.ShuffleThreads;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Runs all that a shuffle's threads do in the caller's, in the order it was sent, by a clock that
 * stands still until the caller lets time pass. Not thread-safe.
 */
public final class SteppedThreads implements ShuffleThreads {
    private record Timer(long atMillis, long number, Runnable due) {}

    private final Deque<Runnable> messages = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(
                    Comparator.comparingLong(Timer::atMillis).thenComparingLong(Timer::number));
    private final Random random = new Random(5);
    private long millis = 1_000_000;
    private long numbers;

    /** Runs all that can run before time passes. */
    public void settle() {
        while (true) {
            if (!timers.isEmpty() && timers.peek().atMillis <= millis) {
                messages.addLast(timers.poll().due);
            } else if (!messages.isEmpty()) {
                messages.pollFirst().run();
            } else {
                return;
            }
        }
    }

    /** Lets time pass, and runs what is due at its time. */
    public void pass(final long duration) {
        final long end = millis + duration;
        settle();
        while (!timers.isEmpty() && timers.peek().atMillis <= end) {
            millis = timers.peek().atMillis;
            settle();
        }
        millis = end;
    }

    @Override
    public long nowMillis() {
        return millis;
    }

    @Override
    public Random random() {
        return random;
    }

    @Override
    public Stepped loop(final String name) {
        return new Stepped();
    }

    @Override
    public Stepped blocking(final String name, final int count) {
        return new Stepped();
    }

    @Override
    public Thread thread(final String name, final Runnable body) {
        throw new UnsupportedOperationException(name);
    }

    @Override
    public void sleep(final long pauseMillis) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean await(final Object monitor, final BooleanSupplier condition, final long most) {
        final long end = millis + most;
        settle();
        while (!condition.getAsBoolean() && millis < end) {
            pass(1);
        }
        return condition.getAsBoolean();
    }

    @Override
    public <T> T get(final Future<T> result, final long most)
            throws InterruptedException, ExecutionException, TimeoutException {
        await(this, result::isDone, most);
        return result.get(0, TimeUnit.MILLISECONDS);
    }

    /** Has no thread. */
    public final class Stepped extends ScheduledThreadPoolExecutor {
        Stepped() {
            super(1);
        }

        @Override
        public void execute(final Runnable message) {
            if (!isShutdown()) {
                messages.addLast(message);
            }
        }

        @Override
        public ScheduledFuture<?> schedule(
                final Runnable message, final long delay, final TimeUnit unit) {
            if (!isShutdown()) {
                timers.add(new Timer(millis + unit.toMillis(delay), numbers++, message));
            }
            return null;
        }
    }
}
