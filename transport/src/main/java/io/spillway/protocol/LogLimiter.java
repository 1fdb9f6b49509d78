// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import org.slf4j.Logger;

/**
 * Lets a few warnings a minute through, and then says how many it held back: bytes from strangers
 * must not fill a disk. Thread-safe.
 */
public final class LogLimiter {
    private static final int LINES_PER_PERIOD = 20;
    private static final long PERIOD_NANOS = 60_000_000_000L;

    private final Logger log;
    private final int linesPerPeriod;
    private long periodStart;
    private int lines;
    private long suppressed;

    /** Creates a limiter over {@code log}. */
    public LogLimiter(final Logger log) {
        this(log, LINES_PER_PERIOD);
    }

    /** Creates a limiter over {@code log} that lets so many lines a minute through. */
    public LogLimiter(final Logger log, final int linesPerPeriod) {
        this.log = log;
        this.linesPerPeriod = linesPerPeriod;
        this.periodStart = System.nanoTime();
    }

    /** Logs a warning, or counts it. */
    public void warn(final String message) {
        final long heldBack;
        synchronized (this) {
            final long now = System.nanoTime();
            heldBack = now - periodStart >= PERIOD_NANOS ? startPeriod(now) : 0;
            if (lines == linesPerPeriod) {
                suppressed++;
                log.debug("{}", message);
                return;
            }
            lines++;
        }
        if (heldBack > 0) {
            log.warn("{} more warnings of this kind were held back", heldBack);
        }
        log.warn("{}", message);
    }

    private long startPeriod(final long now) {
        final long heldBack = suppressed;
        periodStart = now;
        lines = 0;
        suppressed = 0;
        return heldBack;
    }
}
