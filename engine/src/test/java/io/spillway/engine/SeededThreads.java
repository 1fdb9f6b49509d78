// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.thread.ShuffleThreads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs a shuffle's threads one at a time, in an order that a seed draws, by a clock of its own.
 *
 * <p>A thread of the shuffle is a {@link Fiber}: a real thread that runs only while it holds the
 * baton, and gives it back where it waits or calls {@link #yieldHere}. Messages of the loop and
 * events of the test run whole, in the thread that calls {@link #runWhile}. Time stands still while
 * anything can run, but that the seed lets it pass now and then.
 */
final class SeededThreads implements ShuffleThreads {
    /** A thread of the shuffle that keeps the baton for so long waits for what is not scheduled. */
    private static final long STUCK_SECONDS = 60;

    private static final int WEIGHTS = 3;

    /** Nothing more will run: ends a fiber from within. */
    private static final class Over extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final Random random;
    private final Semaphore schedulers = new Semaphore(0);
    private final List<Fiber> fibers = new ArrayList<>();
    private final List<Runnable> events = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Loop loop = new Loop();
    private final int[] weights = new int[WEIGHTS];
    private final double hurry;
    private long millis = 1_000_000;
    private long numbers;
    private long steps;
    private boolean over;
    private Consumer<String> beforeInterrupt = name -> {};
    private Throwable uncaught;

    SeededThreads(final long seed) {
        this.random = new Random(seed);
        // Which of loop, fibers and events is slow is another thing in each run.
        for (int i = 0; i < WEIGHTS; i++) {
            weights[i] = 1 << (2 * random.nextInt(3));
        }
        this.hurry = random.nextInt(3) * 0.01;
    }

    // ---- for the test --------------------------------------------------------------------------

    /** The decisions of the test, too, are drawn from the seed's numbers. */
    @Override
    public Random random() {
        return random;
    }

    long steps() {
        return steps;
    }

    /** Something outside of the shuffle happens at any time from now on. */
    void event(final Runnable action) {
        events.add(action);
    }

    /** Something outside of the shuffle happens at any time after a delay. */
    void eventIn(final long delayMillis, final Runnable action) {
        timers.add(new Timer(millis + delayMillis, () -> events.add(action)));
    }

    /** Runs what can run until a condition holds no more, or nothing is left to run. */
    void runWhile(final BooleanSupplier condition) {
        while (condition.getAsBoolean() && step()) {
            steps++;
            if (uncaught != null) {
                throw new AssertionError("uncaught in a thread of the shuffle", uncaught);
            }
        }
    }

    /** Lets others run; from a fiber only. The seed decides whether it does. */
    static void yieldHere(final int oneIn) {
        if (Thread.currentThread() instanceof Fiber fiber) {
            fiber.yieldOneIn(oneIn);
        }
    }

    /** What a thread does before it interrupts another one, by that one's name. */
    void beforeInterrupt(final Consumer<String> action) {
        beforeInterrupt = action;
    }

    /** Lets others run until a condition holds; from a fiber only. */
    void settle(final BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            current().park(condition, Long.MAX_VALUE);
        }
    }

    /** The messages that the loop has not taken. */
    boolean loopIsIdle() {
        return loop.messages.isEmpty();
    }

    /** The threads that have not ended. */
    List<Fiber> alive() {
        return fibers.stream().filter(fiber -> !fiber.ended).toList();
    }

    boolean isLoopShutdown() {
        return loop.isShutdown();
    }

    /** Ends all threads where they are. */
    void abandon() {
        over = true;
        for (final Fiber fiber : alive()) {
            fiber.baton.release();
        }
    }

    // ---- scheduling ----------------------------------------------------------------------------

    private boolean step() {
        if (random.nextDouble() < hurry) {
            passTime();
        }
        final List<Fiber> runnable = runnable();
        if (loop.messages.isEmpty() && runnable.isEmpty() && events.isEmpty()) {
            return passTime();
        }
        final int ofLoop = loop.messages.isEmpty() ? 0 : weights[0];
        final int ofFibers = runnable.isEmpty() ? 0 : weights[1];
        final int ofEvents = events.isEmpty() ? 0 : weights[2];
        final int drawn = random.nextInt(ofLoop + ofFibers + ofEvents);
        if (drawn < ofLoop) {
            loop.messages.pollFirst().run();
        } else if (drawn < ofLoop + ofFibers) {
            runnable.get(random.nextInt(runnable.size())).handBaton();
        } else {
            events.remove(random.nextInt(events.size())).run();
        }
        return true;
    }

    private List<Fiber> runnable() {
        final List<Fiber> runnable = new ArrayList<>();
        for (final Fiber fiber : fibers) {
            if (fiber.canRun()) {
                runnable.add(fiber);
            }
        }
        return runnable;
    }

    /** Goes on to when the next deadline is over. */
    private boolean passTime() {
        long next = timers.isEmpty() ? Long.MAX_VALUE : timers.peek().atMillis;
        for (final Fiber fiber : fibers) {
            next = fiber.ended ? next : Math.min(next, fiber.deadline);
        }
        if (next == Long.MAX_VALUE) {
            return false;
        }
        millis = Math.max(millis, next);
        while (!timers.isEmpty() && timers.peek().atMillis <= millis) {
            timers.poll().fire();
        }
        return true;
    }

    private static Fiber current() {
        if (Thread.currentThread() instanceof Fiber fiber) {
            return fiber;
        }
        throw new AssertionError("waits in the loop's thread, or in one of the transport's");
    }

    // ---- the shuffle's side --------------------------------------------------------------------

    @Override
    public long nowMillis() {
        return millis;
    }

    @Override
    public ScheduledExecutorService loop(final String name) {
        return loop;
    }

    @Override
    public ExecutorService blocking(final String name, final int count) {
        return new Blocking(name, count);
    }

    @Override
    public Fiber thread(final String name, final Runnable body) {
        return new Fiber(name, body);
    }

    @Override
    public void sleep(final long pauseMillis) throws InterruptedException {
        current().await(() -> false, pauseMillis);
    }

    @Override
    public boolean await(final Object monitor, final BooleanSupplier condition, final long most)
            throws InterruptedException {
        return current().await(condition, most);
    }

    @Override
    public <T> T get(final Future<T> result, final long most)
            throws InterruptedException, ExecutionException, TimeoutException {
        current().await(result::isDone, most);
        return result.get(0, TimeUnit.MILLISECONDS);
    }

    /** A thread that runs while it has the baton. */
    final class Fiber extends Thread {
        private final Semaphore baton = new Semaphore(0);
        private BooleanSupplier condition = () -> true;
        private long deadline = Long.MAX_VALUE;
        private boolean interrupted;
        private boolean ended;

        private Fiber(final String name, final Runnable body) {
            super(body, name);
            setDaemon(true);
        }

        @Override
        public synchronized void start() {
            fibers.add(this);
            super.start();
        }

        @Override
        public void run() {
            baton.acquireUninterruptibly();
            try {
                if (!over) {
                    super.run();
                }
            } catch (final Over e) {
                // Its run is over.
            } catch (final RuntimeException | Error e) {
                uncaught = e;
            } finally {
                ended = true;
                schedulers.release();
            }
        }

        @Override
        public void interrupt() {
            if (currentThread() != this) {
                beforeInterrupt.accept(getName());
            }
            interrupted = true;
        }

        /** The flag is the fiber's: a semaphore clears a thread's for moments of real time. */
        @Override
        public boolean isInterrupted() {
            return interrupted;
        }

        private boolean canRun() {
            return !ended && (condition.getAsBoolean() || millis >= deadline || isInterrupted());
        }

        private void handBaton() {
            baton.release();
            try {
                if (!schedulers.tryAcquire(STUCK_SECONDS, TimeUnit.SECONDS)) {
                    throw stuck();
                }
            } catch (final InterruptedException e) {
                throw new AssertionError("the test was interrupted", e);
            }
        }

        private AssertionError stuck() {
            final AssertionError error =
                    new AssertionError(getName() + " waits, but not through ShuffleThreads");
            error.setStackTrace(getStackTrace());
            return error;
        }

        private void park(final BooleanSupplier until, final long atMillis) {
            condition = until;
            deadline = atMillis;
            schedulers.release();
            baton.acquireUninterruptibly();
            condition = () -> true;
            deadline = Long.MAX_VALUE;
            if (over) {
                throw new Over();
            }
        }

        private boolean await(final BooleanSupplier until, final long most)
                throws InterruptedException {
            park(until, millis + most);
            if (interrupted) {
                interrupted = false;
                throw new InterruptedException();
            }
            return until.getAsBoolean();
        }

        private void yieldOneIn(final int times) {
            if (random.nextInt(times) == 0) {
                park(() -> true, Long.MAX_VALUE);
            }
        }

        @Override
        public String toString() {
            return getName() + (ended ? " ended" : deadline == Long.MAX_VALUE ? "" : " waits");
        }
    }

    /** Each task is a fiber, so many at a time. */
    private final class Blocking extends AbstractExecutorService {
        private final String name;
        private final int count;
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private final List<Fiber> running = new ArrayList<>();
        private boolean shutdown;

        Blocking(final String name, final int count) {
            this.name = name;
            this.count = count;
        }

        @Override
        public void execute(final Runnable task) {
            if (!shutdown) {
                tasks.addLast(task);
                startNext();
            }
        }

        private void startNext() {
            if (running.size() < count && !tasks.isEmpty()) {
                final Runnable task = tasks.pollFirst();
                final Fiber fiber = thread(name + "-" + numbers++, () -> run(task));
                running.add(fiber);
                fiber.start();
            }
        }

        private void run(final Runnable task) {
            try {
                task.run();
            } finally {
                running.remove(Thread.currentThread());
                startNext();
            }
        }

        @Override
        public void shutdown() {
            shutdown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown = true;
            final List<Runnable> dropped = List.copyOf(tasks);
            tasks.clear();
            running.forEach(Thread::interrupt);
            return dropped;
        }

        @Override
        public boolean isShutdown() {
            return shutdown;
        }

        @Override
        public boolean isTerminated() {
            return shutdown && tasks.isEmpty() && running.isEmpty();
        }

        @Override
        public boolean awaitTermination(final long timeout, final TimeUnit unit)
                throws InterruptedException {
            return current().await(this::isTerminated, unit.toMillis(timeout));
        }
    }

    /** Something that is due at a time. */
    private final class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long atMillis;
        private final long number = numbers++;
        private final Runnable due;

        Timer(final long atMillis, final Runnable due) {
            super(() -> null);
            this.atMillis = atMillis;
            this.due = due;
        }

        private void fire() {
            if (!isCancelled()) {
                due.run();
            }
        }

        @Override
        public long getDelay(final TimeUnit unit) {
            return unit.convert(atMillis - millis, TimeUnit.MILLISECONDS);
        }

        @Override
        public int compareTo(final Delayed other) {
            final Timer timer = (Timer) other;
            return atMillis == timer.atMillis
                    ? Long.compare(number, timer.number)
                    : Long.compare(atMillis, timer.atMillis);
        }
    }

    /** The loop's messages, in their order. */
    private final class Loop extends AbstractExecutorService implements ScheduledExecutorService {
        private final Deque<Runnable> messages = new ArrayDeque<>();
        private boolean shutdown;

        /** Who sends a message may go on at once, or be late. */
        @Override
        public void execute(final Runnable message) {
            yieldHere(4);
            put(message);
            yieldHere(4);
        }

        private void put(final Runnable message) {
            if (!shutdown) {
                messages.addLast(message);
            }
        }

        @Override
        public ScheduledFuture<?> schedule(
                final Runnable message, final long delay, final TimeUnit unit) {
            final Timer timer = new Timer(millis + unit.toMillis(delay), () -> put(message));
            if (!shutdown) {
                timers.add(timer);
            }
            return timer;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown();
            final List<Runnable> dropped = List.copyOf(messages);
            messages.clear();
            return dropped;
        }

        @Override
        public void shutdown() {
            shutdown = true;
        }

        @Override
        public boolean isShutdown() {
            return shutdown;
        }

        @Override
        public boolean isTerminated() {
            return shutdown && messages.isEmpty();
        }

        @Override
        public boolean awaitTermination(final long timeout, final TimeUnit unit)
                throws InterruptedException {
            return current().await(this::isTerminated, unit.toMillis(timeout));
        }

        @Override
        public <V> ScheduledFuture<V> schedule(
                final Callable<V> task, final long delay, final TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(
                final Runnable task, final long first, final long period, final TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(
                final Runnable task, final long first, final long pause, final TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }
}
