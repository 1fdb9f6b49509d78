package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.store.pool.FilePool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code of the job that leaves the interrupt flag set in a map costs the map nothing. */
class InterruptedMapperTest {
    private static final long ROOM = 64 << 20;
    private static final int RECORDS = 100_000;
    private static final int KEYS = 997;

    private final Text key = new Text();
    private final Text value = new Text();

    @TempDir private Path folder;

    /** Passes all values on, and leaves the thread interrupted. */
    public static final class Interrupting extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            for (final Text value : values) {
                context.write(key, value);
            }
            Thread.currentThread().interrupt();
        }
    }

    /** Compares as Text does, and leaves the thread interrupted. */
    public static final class Comparing extends Text.Comparator {
        @Override
        public int compare(
                final byte[] one,
                final int oneStart,
                final int oneLength,
                final byte[] other,
                final int otherStart,
                final int otherLength) {
            Thread.currentThread().interrupt();
            return super.compare(one, oneStart, oneLength, other, otherStart, otherLength);
        }
    }

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, RECORDS})
    void leavesTheSameOutput(final int records) throws Exception {
        final Map<String, ByteBuffer> undisturbed = run(records, false, false);
        assertThat(undisturbed).isNotEmpty();
        assertThat(run(records, true, false)).isEqualTo(undisturbed);
        assertThat(run(records, false, true)).isEqualTo(undisturbed);
    }

    /**
     * Runs a map.
     *
     * @param mapper whether the mapper leaves the flag set
     * @param others whether the comparator and the combiner do
     * @return its files
     */
    private Map<String, ByteBuffer> run(
            final int records, final boolean mapper, final boolean others) throws Exception {
        final Path host = Files.createDirectory(folder.resolve("host-" + mapper + others));
        final FilePool pool = FilePool.create(host.resolve("user/node"), ROOM, Duration.ZERO);
        try {
            final MapFixture job = new MapFixture(host, 2);
            job.offer(pool, ROOM).conf.setInt(MRJobConfig.IO_SORT_MB, 1);
            job.conf.setClass(
                    MRJobConfig.COMBINE_CLASS_ATTR,
                    others ? Interrupting.class : Reducer.class,
                    Reducer.class);
            job.conf.setClass(
                    MRJobConfig.KEY_COMPARATOR,
                    others ? Comparing.class : Text.Comparator.class,
                    org.apache.hadoop.io.RawComparator.class);
            final MapOutputCollector<Text, Text> collector = job.collector(0, () -> {});
            collect(collector, records, mapper);
            collector.flush();
            assertThat(Thread.interrupted()).isEqualTo(mapper);
            final Map<String, ByteBuffer> files = outputs(job.lastOutput().getParent());
            collector.close();
            return files;
        } finally {
            pool.release();
        }
    }

    private void collect(
            final MapOutputCollector<Text, Text> collector, final int records, final boolean mapper)
            throws Exception {
        for (int i = 0; i < records; i++) {
            key.set("key-" + i % KEYS);
            value.set("value-" + i);
            if (mapper) {
                Thread.currentThread().interrupt();
            }
            collector.collect(key, value, i % 2);
            assertThat(Thread.currentThread().isInterrupted()).isEqualTo(mapper);
        }
    }

    private static Map<String, ByteBuffer> outputs(final Path outputs) throws IOException {
        final boolean interrupted = Thread.interrupted();
        final Map<String, ByteBuffer> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(outputs)) {
            for (final Path file : all.toList()) {
                files.put(file.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return files;
    }
}
