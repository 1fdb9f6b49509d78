// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import io.spillway.ifile.HeapRecordCursor;
import io.spillway.ifile.RecordCursor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Merges runs of a million records in all, and copies each record to an output buffer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 2,
        jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class MergeBenchmark {
    private static final int RECORDS = 1_000_000;

    @Param({"2", "16", "128"})
    private int runs;

    private final byte[] output = new byte[128 << 10];
    private byte[][] sorted;

    /** Makes the runs. */
    @Setup
    public void setUp() throws IOException {
        sorted = new byte[runs][];
        for (int run = 0; run < runs; run++) {
            sorted[run] = BenchmarkRecords.sortedRun(RECORDS / runs, run);
        }
    }

    /** The whole merge. */
    @Benchmark
    public byte[] merge(final RecordCount count) throws IOException {
        count.start();
        final List<RecordCursor> cursors = new ArrayList<>(runs);
        for (final byte[] run : sorted) {
            cursors.add(new HeapRecordCursor(run, 0, run.length));
        }
        int filled = 0;
        int merged = 0;
        try (MergeQueue queue = new MergeQueue(cursors, BenchmarkRecords.ORDER)) {
            while (queue.next()) {
                final RecordCursor record = queue.current();
                final int length = record.recordLength();
                if (filled + length > output.length) {
                    filled = 0;
                }
                System.arraycopy(record.buffer(), record.recordStart(), output, filled, length);
                filled += length;
                merged++;
            }
        }
        count.stop(merged);
        return output;
    }
}
