// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Sorts where the scratch is too small (very small records), or no prefix is known. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class InPlaceSortBenchmark {
    private static final int SIZE = 1_000_000;

    @Param({"true", "false"})
    private boolean prefixes;

    private byte[] data;
    private long[] unsorted;
    private long[] entries;
    private int[] starts;
    private RecordSorter sorter;

    /** Makes the records. */
    @Setup
    public void setUp() {
        data = BenchmarkRecords.encode(SIZE, BenchmarkRecords.Keys.RANDOM, 1);
        unsorted = BenchmarkRecords.entries(data, 1);
        entries = new long[unsorted.length];
        starts = BenchmarkRecords.starts(SIZE, 1);
        final KeyOrder order =
                prefixes
                        ? BenchmarkRecords.ORDER
                        : KeyOrders.comparing(new org.apache.hadoop.io.Text.Comparator());
        sorter = new RecordSorter(order, 0);
    }

    /** Brings the entries out of order again; not measured. */
    @Setup(Level.Invocation)
    public void shuffle() {
        System.arraycopy(unsorted, 0, entries, 0, unsorted.length);
    }

    /** The whole sort. */
    @Benchmark
    public long[] sort(final RecordCount count) {
        count.start();
        sorter.sort(data, entries, starts);
        count.stop(SIZE);
        return entries;
    }
}
