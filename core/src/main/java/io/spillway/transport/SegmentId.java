package io.spillway.transport;

import java.util.Objects;

/**
 * Names one segment: one partition of one map attempt's output. Immutable.
 *
 * @param attempt the map attempt, such as {@code attempt_1700000000000_0001_m_000003_0}
 * @param partition the reducer's number, from 0
 */
public record SegmentId(String attempt, int partition) {
    /** Checks the fields. */
    public SegmentId {
        Objects.requireNonNull(attempt, "attempt");
        if (partition < 0) {
            throw new IllegalArgumentException("partition=" + partition + ", expected >= 0");
        }
    }
}
