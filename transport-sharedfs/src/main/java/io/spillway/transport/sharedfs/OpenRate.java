// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Spreads what is opened over time: a burst of a second's share, then evenly. Thread-safe. */
final class OpenRate {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long nanosEach;
    private final LongSupplier clock;

    /** When all that was granted has been paid for. */
    private long paidAt;

    OpenRate(final int perSecond, final LongSupplier clock) {
        this.nanosEach = SECOND / perSecond;
        this.clock = clock;
        this.paidAt = clock.getAsLong() - SECOND;
    }

    /** Grants one more; returns how long to wait before it, in nanoseconds. */
    synchronized long next() {
        final long now = clock.getAsLong();
        paidAt = Math.max(paidAt, now - SECOND) + nanosEach;
        return Math.max(0, paidAt - now);
    }

    /** Whether one more would not have to wait. */
    synchronized boolean isFree() {
        return paidAt + nanosEach <= clock.getAsLong();
    }
}
