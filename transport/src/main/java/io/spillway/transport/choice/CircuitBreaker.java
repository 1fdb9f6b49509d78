// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.thread.Backoff;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How far another transport to one node is trusted: after a failure it is not tried for a while,
 * twice as long after each further one. One lost connection that had worked is forgiven. Times are
 * in nanoseconds of one monotonic clock. Thread-safe.
 */
final class CircuitBreaker {
    private static final int MOST_RESTS = 32;

    /** Losses further apart than this do not add up. */
    private static final long STABLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Backoff rests;
    private final LongSupplier clock;
    private int failures;
    private int losses;
    private boolean resting;
    private long restUntil;
    private String why = "";

    /**
     * Full trust.
     *
     * @param restNanos how long it is not tried after the first failure
     */
    CircuitBreaker(final long restNanos, final LongSupplier clock) {
        this.rests = Backoff.doubling(restNanos, restNanos * MOST_RESTS);
        this.clock = clock;
    }

    /** Whether it is not to be tried now. */
    synchronized boolean isResting() {
        resting = resting && clock.getAsLong() - restUntil < 0;
        return resting;
    }

    /** Why it failed last; empty when it never did. */
    synchronized String why() {
        return why;
    }

    /** It could not be opened, or did not do its work: it rests. */
    synchronized void failed(final String reason) {
        why = reason;
        losses = 0;
        resting = true;
        failures++;
        restUntil = clock.getAsLong() + rests.after(failures);
    }

    /**
     * A connection that had worked was lost.
     *
     * @param ageNanos how long it was open
     * @return whether it rests now
     */
    synchronized boolean lost(final String reason, final long ageNanos) {
        if (ageNanos >= STABLE_NANOS) {
            losses = 0;
            failures = 0;
        }
        why = reason;
        losses++;
        if (losses > 1) {
            failed(reason);
        }
        return resting;
    }
}
