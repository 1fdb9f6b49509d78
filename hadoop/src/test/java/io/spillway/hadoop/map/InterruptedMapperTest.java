// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.store.pool.FilePool;
import io.spillway.thread.Uninterrupted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.io.RawComparator;
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

    /**
     * A sign of life comes once a record; looking through all of its stack takes longer than that.
     */
    private static final int FRAMES = 16;

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
     * Threads of the mapper's own may interrupt it while it spills, such as one that watches the
     * time.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptOfAnotherThreadIsNotLost(final boolean others) throws Exception {
        final AtomicInteger sent = new AtomicInteger();
        final Thread mapper = Thread.currentThread();
        final MapFixture job = new MapFixture(folder, 2);
        setCodeOfTheJob(job, others);
        final MapOutputCollector<Text, Text> collector =
                job.collector(
                        0,
                        () -> {
                            if (isInASpill()) {
                                sent.incrementAndGet();
                                interruptFromOutside(mapper);
                            }
                        });
        int spills = 0;
        for (int i = 0; i < RECORDS; i++) {
            key.set("key-" + i % KEYS);
            value.set("value-" + i);
            collector.collect(key, value, i % 2);
            final boolean wasSent = sent.getAndSet(0) > 0;
            assertThat(Thread.interrupted()).isEqualTo(wasSent);
            spills += wasSent ? 1 : 0;
        }
        assertThat(spills).isPositive();
        collector.flush();
        assertThat(sent).hasPositiveValue();
        assertThat(Thread.interrupted()).as("the flag after the flush").isTrue();
        collector.close();
    }

    /** A sign of life that is given at the end of a segment, and not by the mapper's call. */
    private static boolean isInASpill() {
        return StackWalker.getInstance()
                .walk(
                        frames ->
                                frames.limit(FRAMES)
                                        .anyMatch(
                                                frame ->
                                                        frame.getMethodName()
                                                                .equals("endSegment")));
    }

    private static void interruptFromOutside(final Thread mapper) {
        final Thread watch = new Thread(mapper::interrupt);
        watch.start();
        Uninterrupted.await(
                () -> {
                    watch.join();
                    return null;
                });
    }

    private static void setCodeOfTheJob(final MapFixture job, final boolean others) {
        job.conf.setInt(MRJobConfig.IO_SORT_MB, 1);
        job.conf.setClass(
                MRJobConfig.COMBINE_CLASS_ATTR,
                others ? Interrupting.class : Reducer.class,
                Reducer.class);
        job.conf.setClass(
                MRJobConfig.KEY_COMPARATOR,
                others ? Comparing.class : Text.Comparator.class,
                RawComparator.class);
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
            setCodeOfTheJob(job.offer(pool, ROOM), others);
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
