// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.store.pool.FilePool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An attempt that has lost records, or whose mapper has thrown, leaves no output. */
class FailedAttemptTest {
    private static final AtomicInteger CALLS = new AtomicInteger();
    private static final int THROWING_CALL = 2_000;
    private static final int KEYS = 997;
    private static final long ROOM = 64 << 20;

    private final Text key = new Text();
    private final Text value = new Text("the same for all of the records, of some length");

    @TempDir private Path folder;

    /** Passes all values on; throws once. */
    public static final class OnceThrowing extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            if (CALLS.incrementAndGet() == THROWING_CALL) {
                throw new IllegalStateException("once");
            }
            for (final Text value : values) {
                context.write(key, value);
            }
        }
    }

    @BeforeEach
    void reset() {
        CALLS.set(0);
    }

    @Test
    void failsForGoodByOneSpill() throws Exception {
        final MapFixture job = new MapFixture(folder, 2);
        job.conf.setInt(MRJobConfig.IO_SORT_MB, 1);
        job.conf.setClass(MRJobConfig.COMBINE_CLASS_ATTR, OnceThrowing.class, Reducer.class);
        final MapOutputCollector<Text, Text> collector = job.collector(0, () -> {});

        final int refused = collect(collector, 200_000);

        assertThat(CALLS).hasValue(THROWING_CALL);
        assertThat(refused).isGreaterThan(1_000);
        for (int call = 0; call < 2; call++) {
            assertThatThrownBy(collector::flush)
                    .isInstanceOf(IOException.class)
                    .hasMessage("Spill failed")
                    .hasRootCauseMessage("once");
        }
        collector.close();
        assertThat(job.lastOutput()).doesNotExist();
    }

    /** As a mapper does that catches whatever it is thrown; how many records were refused. */
    private int collect(final MapOutputCollector<Text, Text> collector, final int records)
            throws InterruptedException {
        int refused = 0;
        for (int i = 0; i < records; i++) {
            key.set("key-" + i % KEYS);
            try {
                collector.collect(key, value, i % 2);
            } catch (final IOException | RuntimeException e) {
                refused++;
            }
        }
        return refused;
    }

    @Test
    void writesNothingForAMapperThatThrew() throws Exception {
        final Path memory = folder.resolve("user/node");
        final FilePool pool = FilePool.create(memory, ROOM, Duration.ZERO);
        try {
            final MapFixture job = new MapFixture(folder, 2).offer(pool, ROOM);
            job.phase(TaskStatus.Phase.MAP);
            final MapOutputCollector<Text, Text> collector = job.collector(0, () -> {});
            assertThat(collect(collector, 100)).isZero();

            assertThatThrownBy(collector::flush)
                    .hasMessage("Spill failed")
                    .hasRootCauseMessage("The mapper has not returned");

            assertThat(job.lastOutput()).doesNotExist();
            assertThat(filesBelow(memory)).noneMatch(path -> path.contains("committed"));
        } finally {
            pool.release();
        }
    }

    private static List<String> filesBelow(final Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(Path::toString).toList();
        }
    }

    @Test
    void takesNothingAfterItsFlush() throws Exception {
        final MapFixture job = new MapFixture(folder, 2);
        final MapOutputCollector<Text, Text> collector = job.collector(0, () -> {});
        collect(collector, 100);
        collector.flush();

        assertThat(collect(collector, 1)).isOne();
        collector.flush();
        assertThat(job.lastOutput()).isNotEmptyFile();
    }
}
