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

/** Sorts entries (the metadata), ties included; the records stay where they are. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 2,
        jvmArgs = {"-Xms3500m", "-Xmx3500m", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class SortBenchmark {
    @Param({"1000000", "10000000"})
    private int size;

    @Param({"RANDOM", "SHARED_8", "ALL_EQUAL"})
    private BenchmarkRecords.Keys keys;

    @Param({"1", "64"})
    private int partitions;

    private byte[] data;
    private long[] unsorted;
    private long[] entries;
    private int[] starts;
    private RecordSorter sorter;

    /** Makes the records. */
    @Setup
    public void setUp() {
        data = BenchmarkRecords.encode(size, keys, 1);
        unsorted = BenchmarkRecords.entries(data, partitions);
        entries = new long[unsorted.length];
        starts = BenchmarkRecords.starts(size, partitions);
        sorter = new RecordSorter(BenchmarkRecords.ORDER, size);
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
        count.stop(size);
        return entries;
    }
}
