// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Counts the records of benchmarks that work on many at a time, and the processor time they took:
 * on a machine that others use too, records per second of processor time tell more than records per
 * second. One call should take at least a millisecond.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class RecordCount {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The records that were worked on. */
    public long records;

    /** The processor time of the measured thread, in nanoseconds. */
    public long cpuNanos;

    private long started;

    /** Starts measuring. */
    void start() {
        started = THREADS.getCurrentThreadCpuTime();
    }

    /** Ends measuring. */
    void stop(final long count) {
        cpuNanos += THREADS.getCurrentThreadCpuTime() - started;
        records += count;
    }
}
