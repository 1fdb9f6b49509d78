// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.Text;
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

/**
 * Collects words with a number each until the sort buffer is full, sorts it, and adds up what a
 * combiner would be given.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
        value = 2,
        jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class GroupBenchmark {
    private static final int WORDS = 1 << 21;
    private static final byte[] ONE = {0, 0, 0, 1};

    /** How many different words there are; 0 for no word twice. */
    @Param({"1000", "3000", "30000", "0"})
    private int keys;

    /** Whether words are shorter than a prefix. */
    @Param({"true", "false"})
    private boolean shortKeys;

    @Param({"true", "false"})
    private boolean hash;

    private final byte[][] words = new byte[WORDS][];
    private SortBuffer buffer;
    private long sum;

    /** Makes the words. */
    @Setup
    public void setUp() {
        final Random random = new Random(1);
        final byte[][] distinct = new byte[keys == 0 ? WORDS : keys][];
        for (int i = 0; i < distinct.length; i++) {
            final String word = Integer.toString(Integer.reverse(i), Character.MAX_RADIX);
            distinct[i] = KeyBytes.of(new Text(shortKeys ? word : "longer" + word));
        }
        for (int i = 0; i < WORDS; i++) {
            words[i] = distinct[keys == 0 ? i : random.nextInt(keys)];
        }
        buffer = new SortBuffer(100 << 20, 8, BenchmarkRecords.ORDER, this::empty);
        if (hash) {
            buffer.groupKeys();
        }
    }

    private void empty() {
        final SortedRecords sorted = buffer.sort();
        for (int i = 0; i < sorted.records(); i++) {
            sum += sorted.data()[sorted.valueOffset(i) + 3];
        }
        buffer.clear();
    }

    /** Two million words. */
    @Benchmark
    public long group(final RecordCount count) throws IOException {
        final OutputStream stream = buffer.stream();
        count.start();
        for (final byte[] word : words) {
            buffer.beginRecord();
            stream.write(word, 0, word.length);
            buffer.endKey();
            stream.write(ONE, 0, ONE.length);
            buffer.endRecord(word[word.length - 1] & 7);
        }
        empty();
        count.stop(WORDS);
        return sum;
    }
}
