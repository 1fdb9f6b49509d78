// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.spillway.protocol.LogLimiter;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a rank: makes every call of MPI, serves the sockets of the host's tasks, and runs
 * what is handed to it, as Netty's event loops do. It looks for work without a pause while there is
 * some, and rests longer and longer when there is none.
 */
public final class RankLoop extends SingleThreadEventLoop {
    /** What the thread looks after, beside its tasks and sockets. */
    interface Duty {
        /** Does what there is to do, without waiting; returns whether there was something. */
        boolean work() throws IOException;

        /** Whether something is expected from other ranks. */
        boolean isExpecting();

        /** The thread ends. */
        void end();
    }

    /** What a socket of this loop has as its attachment. Called by the loop. */
    public interface Ready {
        /** The socket can be read or written as its key says; must not wait. */
        void ready(SelectionKey key);
    }

    private static final Logger LOG = LoggerFactory.getLogger(RankLoop.class);

    /** Tasks run no longer than this before MPI is looked after again. */
    private static final long TASK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** Sockets are looked at once in so many rounds while other work is there. */
    private static final int ROUNDS_PER_SELECT = 8;

    /** A selector cannot wait for less. */
    private static final long LEAST_SELECT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LogLimiter warnings;
    private final Selector selector;
    private final Pause pause = new Pause(System.nanoTime());
    private volatile Duty duty;

    /** Whether the thread may be resting: who hands over a task wakes it. */
    private volatile boolean resting;

    private volatile Thread thread;

    private int rounds;

    RankLoop() throws IOException {
        this(LOG);
    }

    /** Warns of failures in {@code log}. */
    RankLoop(final Logger log) throws IOException {
        super(null, new DefaultThreadFactory("spillway-mpi-rank", true), false);
        warnings = new LogLimiter(log);
        selector = Selector.open();
    }

    void take(final Duty newDuty) {
        duty = newDuty;
    }

    /** For sockets of this loop, registered on its thread; the attachment is a {@link Ready}. */
    public Selector selector() {
        return selector;
    }

    @Override
    protected void run() {
        thread = Thread.currentThread();
        do {
            try {
                if (round()) {
                    pause.worked(System.nanoTime());
                } else {
                    rest();
                }
            } catch (final IOException | RuntimeException | Error e) {
                // One that stays comes every millisecond.
                warnings.warn("The rank's thread goes on after a failure: " + e);
                LOG.debug("The rank's thread goes on after a failure", e);
                LockSupport.parkNanos(LEAST_SELECT_NANOS);
            }
        } while (!confirmShutdown());
    }

    private boolean round() throws IOException {
        final Duty current = duty;
        boolean worked = current != null && current.work();
        worked |= runAllTasks(TASK_NANOS);
        rounds++;
        if (!worked || rounds % ROUNDS_PER_SELECT == 0) {
            worked |= selector.selectNow() > 0 && serve();
        }
        return worked;
    }

    private boolean serve() {
        final Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
        while (keys.hasNext()) {
            final SelectionKey key = keys.next();
            keys.remove();
            serve(key);
        }
        return true;
    }

    private static void serve(final SelectionKey key) {
        try {
            if (key.isValid()) {
                ((Ready) key.attachment()).ready(key);
            }
        } catch (final RuntimeException | Error e) {
            LOG.error("Serving a socket failed", e);
            key.cancel();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // No result depends on which thread runs next.
    private void rest() throws IOException {
        final long now = System.nanoTime();
        final Duty current = duty;
        final long wanted = pause.nanos(now, current != null && current.isExpecting());
        final long nanos = Math.min(wanted, delayNanos(now));
        if (nanos <= 0) {
            // A task or another rank of this host may need the core.
            Thread.yield();
            return;
        }
        resting = true;
        try {
            if (!hasTasks() && rest(nanos)) {
                serve();
                pause.worked(System.nanoTime());
            }
        } finally {
            resting = false;
        }
    }

    /** Returns whether sockets are ready. */
    private boolean rest(final long nanos) throws IOException {
        try {
            if (nanos < LEAST_SELECT_NANOS) {
                LockSupport.parkNanos(this, nanos);
                return false;
            }
            return selector.select(TimeUnit.NANOSECONDS.toMillis(nanos)) > 0;
        } finally {
            pause.rested(System.nanoTime());
        }
    }

    @Override
    protected void wakeup(final boolean inEventLoop) {
        if (!inEventLoop && resting) {
            selector.wakeup();
            LockSupport.unpark(thread);
        }
    }

    @Override
    protected void cleanup() {
        final Duty last = duty;
        if (last != null) {
            last.end();
        }
        try {
            selector.close();
        } catch (final IOException e) {
            LOG.debug("The selector was not closed", e);
        }
    }
}
