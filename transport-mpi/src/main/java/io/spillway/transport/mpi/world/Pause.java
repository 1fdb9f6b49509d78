// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import java.util.concurrent.TimeUnit;

/**
 * How long the thread of a rank rests when it has found nothing to do. MPI wakes no thread: what
 * comes from other ranks is seen when it is looked for. So there is no pause right after something
 * has happened: for a fixed time, and for longer after much work, as a pause between two parts of a
 * transfer takes more time than the look that would have found the second one. The longer nothing
 * happens, the longer the pauses are. Used by one thread.
 */
final class Pause {
    /** So long after something has happened the thread looks again at once. */
    private static final long BUSY_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /**
     * Looks without a pause take at most so many times as long as the work before them. Fewer are
     * slower and take more CPU time a byte, more are not faster ("Looks without a pause" in
     * docs/results/mpi.md).
     */
    private static final long LOOKING_PER_WORK = 4;

    private static final long MOST_LOOKING_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** So long an answer is expected from another rank. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** So long another request is likely. */
    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long SHORT_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LONG_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** After so long no job is expected to be in its shuffle. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** 50 looks a second take less than 1 % of a core ("Idle ranks" in docs/results/mpi.md). */
    private static final long IDLE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private long lastWork;

    /** Until then, time is counted as work, looks or rest. */
    private long counted;

    /** How much longer the thread looks without a pause because of the work that it has done. */
    private long looking;

    /** Creates the pauses of a thread that begins now, a {@link System#nanoTime}. */
    Pause(final long now) {
        lastWork = now;
        counted = now;
    }

    /** The thread has worked since the last call, until {@code now}. */
    void worked(final long now) {
        looking = Math.min(MOST_LOOKING_NANOS, looking + LOOKING_PER_WORK * (now - counted));
        lastWork = now;
        counted = now;
    }

    /** The thread has rested since the last call, until {@code now}. */
    void rested(final long now) {
        counted = now;
    }

    /**
     * How long to rest now, as the thread has found nothing since the last call.
     *
     * @param expecting whether bytes are under way
     * @return nanoseconds; 0 to look again at once
     */
    long nanos(final long now, final boolean expecting) {
        looking = Math.max(0, looking - (now - counted));
        counted = now;
        final long idle = now - lastWork;
        if (idle < BUSY_NANOS || looking > 0) {
            return 0;
        }
        if (idle >= IDLE_NANOS) {
            return IDLE_PAUSE_NANOS;
        }
        if (idle >= WARM_NANOS) {
            return LONG_PAUSE_NANOS;
        }
        return expecting || idle < ANSWER_NANOS ? SHORT_PAUSE_NANOS : PAUSE_NANOS;
    }
}
