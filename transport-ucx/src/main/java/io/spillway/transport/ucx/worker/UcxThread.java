// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.thread.Backoff;
import io.spillway.thread.DaemonThreads;
import io.spillway.transport.DirectMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker of UCX and the one thread that calls it. Other threads hand it tasks. It sleeps when
 * there is nothing to do, after polling for a moment: for up to the time of the setting while that
 * pays, for less and less while it does not.
 *
 * <p>UCX's wait has no time-out, so a second thread wakes it five times a second to look at the
 * clock.
 */
public final class UcxThread implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UcxThread.class);
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long MIN_SPIN_NANOS = 1_000;
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long STOP_SECONDS = 10;
    private static final int PROGRESS_BATCH = 64;

    /**
     * While a peer's queue in shared memory is full UCX does not wait, for nothing would wake it.
     * Then the thread pauses, longer and longer, and leaves the processor to the peer.
     */
    private static final Backoff BACK_OFF = Backoff.doubling(50_000, 1_000_000);

    private static final long REFUSAL_NANOS = 20_000;
    private static final int MAX_REFUSALS = 10;

    /**
     * Workers that could not end, for a peer has neither taken nor given what it was to. UCX 1.13
     * aborts the process where they are destroyed, and has addresses of their memory. Very few.
     */
    private static final Queue<UcxThread> LEFT_TO_UCX = new ConcurrentLinkedQueue<>();

    private final String name;
    private final UcpContext context;
    private final UcpWorker worker;
    private final ByteBuffer workerAddress;
    private final DirectMemory memory;
    private final BufferPool buffers;
    private final HeaderPool headers;
    private final long maxSpinNanos;
    private final boolean mayUseSockets;
    private final Thread thread;
    private final Thread clock;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<Runnable> watchers = new ArrayList<>();
    private final List<Link> ending = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Object signalLock = new Object();
    private Runnable onStop = () -> {};
    private Runnable onEnd = () -> {};
    private long spinNanos;
    private long lastTickNanos;
    private boolean signalable = true;

    /** UCX has just returned from its wait at once; if nothing comes of that, it cannot wait. */
    private boolean refused;

    /** What UCX sends or receives over all links. */
    private int operations;

    /** See {@link #leaveWorkerToUcx}. */
    private boolean leftToUcx;

    /** How often it has done so since something came. */
    private int refusals;

    private volatile boolean sleeping;
    private volatile boolean stopping;

    /** No task runs any more. */
    private volatile boolean stopped;

    /**
     * Creates the worker; {@link #start} or {@link #discard} follows.
     *
     * @param memory grants what is allocated outside the heap
     * @throws IOException when UCX cannot be used with these settings
     */
    public UcxThread(final String name, final UcxSettings settings, final DirectMemory memory)
            throws IOException {
        this.name = name;
        this.memory = memory;
        this.maxSpinNanos = settings.spinNanos();
        this.spinNanos = maxSpinNanos;
        this.mayUseSockets = UcxConfiguration.mayUseSockets(settings);
        try {
            context = UcxLibrary.newContext(settings);
        } catch (final RuntimeException | LinkageError e) {
            throw new IOException("ucx: no context: " + UcxLibrary.oneLine(e), e);
        }
        worker = Workers.newWorker(context);
        workerAddress = worker.getAddress().asReadOnlyBuffer();
        buffers = new BufferPool(context, settings.bufferBytes(), memory);
        headers = new HeaderPool(memory);
        thread = DaemonThreads.of(name, this::run);
        clock = DaemonThreads.of(name + "-clock", this::tickForever);
    }

    /**
     * Begins.
     *
     * @param stop runs on the thread when it is closed, before UCX is
     * @param end runs on the thread after UCX has ended
     */
    public void start(final Runnable stop, final Runnable end) {
        onStop = stop;
        onEnd = end;
        thread.start();
        clock.start();
    }

    // ---- any thread ----------------------------------------------------------------------------

    /**
     * Runs a task on the thread, after those handed over earlier.
     *
     * @throws RejectedExecutionException when the thread has ended
     */
    @Override
    public void execute(final Runnable task) {
        if (stopped) {
            throw new RejectedExecutionException(name + " is closed");
        }
        tasks.add(task);
        if (stopped && tasks.remove(task)) {
            throw new RejectedExecutionException(name + " is closed");
        }
        if (sleeping) {
            signal();
        }
    }

    /** As {@link #execute}; returns false when the thread has ended. */
    public boolean tryExecute(final Runnable task) {
        try {
            execute(task);
            return true;
        } catch (final RejectedExecutionException e) {
            LOG.debug("A task came too late", e);
            return false;
        }
    }

    /** Whether it takes no more tasks. */
    public boolean isEnded() {
        return stopped;
    }

    /** Whether the caller is this thread. */
    public boolean isOnThread() {
        return Thread.currentThread() == thread;
    }

    private void signal() {
        synchronized (signalLock) {
            if (signalable) {
                try {
                    worker.signal();
                } catch (final UcxException e) {
                    // The clock signals again.
                    LOG.debug("{}: signalling failed", name, e);
                }
            }
        }
    }

    private void tickForever() {
        while (!stopped) {
            LockSupport.parkNanos(TICK_NANOS);
            if (sleeping) {
                signal();
            }
        }
    }

    /** Closes one that was never started. */
    public void discard() {
        stopped = true;
        worker.close();
        context.close();
    }

    /** Ends the thread; waits for it, unless it is the caller. Idempotent. */
    @Override
    public void close() {
        stopping = true;
        signal();
        if (isOnThread()) {
            return;
        }
        try {
            if (!ended.await(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("{} did not end within {} s", name, STOP_SECONDS);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- on the thread -------------------------------------------------------------------------

    /** The worker of UCX. */
    public UcpWorker worker() {
        return worker;
    }

    /** What peers reach the worker by; any thread. */
    public ByteBuffer workerAddress() {
        return workerAddress.duplicate();
    }

    /** Grants what is allocated outside the heap. */
    public DirectMemory memory() {
        return memory;
    }

    /** The registered memory of this worker. */
    public BufferPool buffers() {
        return buffers;
    }

    HeaderPool headers() {
        return headers;
    }

    /** Runs the task some five times a second. */
    public void addWatcher(final Runnable watcher) {
        watchers.add(watcher);
    }

    /** Runs a task when UCX has returned: for what a callback must not do. */
    public void defer(final Runnable task) {
        tasks.add(task);
    }

    /** Whether endpoints may be sockets. */
    boolean mayUseSockets() {
        return mayUseSockets;
    }

    /** Keeps a link until UCX has let go of its endpoint and of its memory. */
    void finish(final Link link) {
        ending.add(link);
    }

    /** UCX sends or receives something over a link. */
    void operationBegan() {
        operations++;
    }

    /** UCX has ended that. */
    void operationEnded() {
        operations--;
    }

    /** The worker must not be destroyed: UCX has messages left whose end it does not report. */
    void leaveWorkerToUcx() {
        leftToUcx = true;
    }

    /** The closed links whose endpoint, or memory, UCX has not let go of yet. */
    public int endingLinks() {
        return ending.size();
    }

    private void run() {
        try {
            while (!stopping) {
                work();
            }
        } finally {
            shutDown();
        }
    }

    private void work() {
        if (isBusy()) {
            refusals = 0;
            return;
        }
        if (isBusyWithin(refusals == 1 ? maxSpinNanos : spinNanos)) {
            spinNanos = Math.min(maxSpinNanos, Math.max(MIN_SPIN_NANOS, 2 * spinNanos));
            refusals = 0;
            return;
        }
        spinNanos = Math.max(Math.min(MIN_SPIN_NANOS, maxSpinNanos), spinNanos / 2);
        if (refused) {
            refused = false;
            backOff();
        } else {
            sleep();
        }
    }

    private void backOff() {
        if (isFull()) {
            LockSupport.parkNanos(BACK_OFF.after(refusals));
            return;
        }
        // Events are left. Over tcp UCX takes one at a time, and it does not tell of all: not of
        // strangers who come and go at its ports, whose sockets stay open until it gets to them.
        takeWhatIsReady();
        LockSupport.parkNanos(BACK_OFF.first());
    }

    /** Whether UCX cannot wait, for what it has to send does not fit a peer's queue. */
    private boolean isFull() {
        try {
            worker.arm();
            return false;
        } catch (final UcxException e) {
            return true;
        }
    }

    private boolean isBusyWithin(final long nanos) {
        final long idleSince = System.nanoTime();
        while (System.nanoTime() - idleSince < nanos) {
            Thread.onSpinWait();
            if (isBusy()) {
                return true;
            }
        }
        return false;
    }

    private boolean isBusy() {
        final boolean ranTasks = runTasks();
        final boolean progressed = progress();
        tick();
        return ranTasks || progressed;
    }

    private void sleep() {
        sleeping = true;
        if (tasks.isEmpty() && !stopping) {
            refused = !waitsForEvents();
            refusals = refused ? Math.min(refusals + 1, MAX_REFUSALS) : 0;
        }
        sleeping = false;
    }

    /** Returns false when UCX has not waited at all. */
    private boolean waitsForEvents() {
        final long since = System.nanoTime();
        try {
            worker.waitForEvents();
        } catch (final UcxException e) {
            LOG.debug("Waiting for events failed", e);
            return false;
        }
        return System.nanoTime() - since >= REFUSAL_NANOS;
    }

    private boolean runTasks() {
        boolean any = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            any = true;
            run(task);
        }
        return any;
    }

    private void run(final Runnable task) {
        try {
            task.run();
        } catch (final RuntimeException | Error e) {
            LOG.error("A task of {} failed", name, e);
        }
    }

    private boolean progress() {
        boolean any = false;
        for (int i = 0; i < PROGRESS_BATCH; i++) {
            if (!progressOnce()) {
                return any;
            }
            any = true;
        }
        return any;
    }

    /** Lets UCX handle what is ready at up to as many sockets as the batch has steps. */
    void takeWhatIsReady() {
        for (int i = 0; i < PROGRESS_BATCH; i++) {
            progressOnce();
        }
    }

    private boolean progressOnce() {
        try {
            return worker.progress() != 0;
        } catch (final Exception | Error e) {
            LOG.error("{}: a callback failed", name, e);
            return true;
        }
    }

    private void tick() {
        final long now = System.nanoTime();
        if (now - lastTickNanos < TICK_NANOS) {
            return;
        }
        lastTickNanos = now;
        watchers.forEach(this::run);
        run(this::dropEnded);
    }

    private boolean isInUse() {
        return operations > 0 || !ending.isEmpty();
    }

    private void dropEnded() {
        ending.removeIf(Link::isEnded);
    }

    // ---- the end -------------------------------------------------------------------------------

    /** Links have a moment to end in order; then UCX takes away what is left of them. */
    private void shutDown() {
        run(onStop);
        runTasks();
        final long deadline = System.nanoTime() + DRAIN_NANOS;
        while (isInUse() && System.nanoTime() - deadline < 0) {
            if (!progress()) {
                LockSupport.parkNanos(MIN_SPIN_NANOS);
            }
            runTasks();
            run(this::dropEnded);
        }
        // UCX 1.13 aborts where a worker is destroyed amid what it sends, over open links as well.
        final boolean keeps = leftToUcx || isInUse();
        if (keeps) {
            LOG.debug("{}: {} endpoints, {} operations left", name, ending.size(), operations);
            LEFT_TO_UCX.add(this);
        }
        stopped = true;
        synchronized (signalLock) {
            signalable = false;
        }
        LockSupport.unpark(clock);
        runTasks();
        if (!keeps) {
            run(worker::close);
            runTasks();
        }
        if (!leftToUcx && !isInUse()) {
            run(buffers::close);
        }
        if (!keeps) {
            run(context::close);
        }
        run(onEnd);
        ended.countDown();
    }
}
