package io.spillway.transport.mpi.world;

import java.util.concurrent.TimeUnit;

/**
 * How long the thread of a rank rests when it has found nothing to do. MPI wakes no thread: what
 * comes from other ranks is seen when it is looked for. So there is no pause right after something
 * has happened, and the longer nothing does, the longer the pauses are. Used by one thread.
 */
final class Pause {
    /** So long after something has happened the thread looks again at once. */
    private static final long BUSY_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** So long an answer is expected from another rank. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** So long another request is likely. */
    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long SHORT_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LONG_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** After so long no job is expected to be in its shuffle. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** 200 looks a second took 1.0 to 1.3 % of a core (2026-11-25): 50 take less than 1 %. */
    private static final long IDLE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private long lastWork = System.nanoTime();

    /** Something was done at this time. */
    void worked(final long now) {
        lastWork = now;
    }

    /**
     * How long to rest now.
     *
     * @param expecting whether bytes are under way
     * @return nanoseconds; 0 to look again at once
     */
    long nanos(final long now, final boolean expecting) {
        final long idle = now - lastWork;
        if (idle < BUSY_NANOS) {
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
