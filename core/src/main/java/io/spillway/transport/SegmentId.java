package io.spillway.transport;

import java.util.Objects;

/**
 * Names one segment, or one sorted run of it: one partition of one map attempt's output. A map that
 * has left its spills unmerged has several runs. Immutable.
 *
 * @param attempt the map attempt, such as {@code attempt_1700000000000_0001_m_000003_0}
 * @param partition the reducer's number, from 0
 * @param run from 0
 */
public record SegmentId(String attempt, int partition, int run) {
    /** Checks the fields. */
    public SegmentId {
        Objects.requireNonNull(attempt, "attempt");
        if (partition < 0) {
            throw new IllegalArgumentException("partition=" + partition + ", expected >= 0");
        }
        if (run < 0) {
            throw new IllegalArgumentException("run=" + run + ", expected >= 0");
        }
    }

    /** The first run, mostly the only one. */
    public SegmentId(final String attempt, final int partition) {
        this(attempt, partition, 0);
    }
}
