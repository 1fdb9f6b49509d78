// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

/**
 * How often the merge takes a chunk of a stream, in chunks of all streams. Owned by the loop's
 * thread.
 */
public final class ConsumptionRate {
    private long lastAt;
    private double gap;

    /** The merge has taken the {@code now}-th chunk of all, and it was this stream's. */
    public void consumed(final long now) {
        final long since = now - lastAt;
        gap = gap == 0 ? since : (gap + since) / 2;
        lastAt = now;
    }

    /** When the stream's {@code held} chunks will be taken, if the pace stays what it was. */
    public double emptyAt(final long now, final int held) {
        return now + held * Math.max(gap, (double) (now - lastAt));
    }
}
