// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Collects serialized records in a sort buffer: an overflow only clears it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 2,
        jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class CollectBenchmark {
    private static final int RECORDS = 10_000;

    private byte[] data;
    private SortBuffer buffer;
    private OutputStream stream;

    /** Makes the records. */
    @Setup
    public void setUp() {
        data = BenchmarkRecords.encode(RECORDS, BenchmarkRecords.Keys.RANDOM, 1);
        buffer = new SortBuffer(100 << 20, 16, BenchmarkRecords.ORDER, () -> buffer.clear());
        stream = buffer.stream();
    }

    /** Ten thousand records. */
    @Benchmark
    public int collect(final RecordCount count) throws IOException {
        count.start();
        int payload = 0;
        for (int i = 0; i < RECORDS; i++) {
            final int at = i * BenchmarkRecords.RECORD_LENGTH + 2;
            buffer.beginRecord();
            stream.write(data, at, BenchmarkRecords.KEY_LENGTH);
            buffer.endKey();
            stream.write(data, at + BenchmarkRecords.KEY_LENGTH, BenchmarkRecords.VALUE_LENGTH);
            payload += buffer.endRecord(i & 15);
        }
        count.stop(RECORDS);
        return payload;
    }
}
