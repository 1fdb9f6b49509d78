// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.SimulatedNodes;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.map.MapFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The real shuffle of one reducer, over simulated nodes, with data of many shapes. What has to come
 * out is computed from the records alone.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DataShapesTest {
    private static final long LATENCY_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final double BYTES_PER_SECOND = 1e9;
    private static final int NODES = 8;

    /** The records of a whole job, which its reducers share. */
    private static final int JOB_RECORDS = 150_000;

    private static final int LARGEST_KEY = 2 << 20;

    @TempDir Path localDir;

    private final Random random = new Random(43);
    private final List<TestSegment> segments = new ArrayList<>();

    private ReduceFixture task(final int reducers, final String budget) {
        final ReduceFixture task = new ReduceFixture(segments.size(), localDir);
        task.conf.setNumReduceTasks(reducers);
        return task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), budget)
                .set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), "1024");
    }

    private List<TestSegment.Entry> reduce(final ReduceFixture task) throws Exception {
        try (SimulatedNodes nodes = new SimulatedNodes(LATENCY_NANOS, BYTES_PER_SECOND)) {
            for (int map = 0; map < segments.size(); map++) {
                nodes.put(ReduceFixture.map(map, 0).toString(), segments.get(map));
                task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % NODES));
            }
            return task.readAll(nodes);
        }
    }

    /** One reducer's part of a job of that shape: from one large segment to 5,000 mostly empty. */
    @ParameterizedTest
    @CsvSource({
        "1, 1", "1, 200", "1, 2000",
        "100, 1", "100, 200", "100, 2000",
        "5000, 1", "5000, 200", "5000, 2000"
    })
    void mergesOneReducersPart(final int maps, final int reducers) throws Exception {
        final double each = (double) JOB_RECORDS / maps / reducers;
        for (int map = 0; map < maps; map++) {
            final int records = (int) (2 * each * random.nextDouble() + random.nextDouble());
            segments.add(TestSegment.random(random, records, 60, null));
        }
        final ReduceFixture task = task(reducers, "16m");

        assertThat(reduce(task)).isEqualTo(TestSegment.merged(segments));
        assertThat(task.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(maps);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20_000})
    void mergesSegmentsThatAreAllEmptyButOne(final int records) throws Exception {
        for (int map = 0; map < 1000; map++) {
            segments.add(TestSegment.random(random, map == 617 ? records : 0, 60, null));
        }

        assertThat(reduce(task(1000, "4m"))).isEqualTo(TestSegment.merged(segments));
    }

    /** Keys of one byte to two megabytes, some of them equal, in windows of kilobytes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mergesKeysOfUpToTwoMegabytes(final boolean compressed) throws Exception {
        final CompressionCodec codec = compressed ? new DefaultCodec() : null;
        if (codec instanceof DefaultCodec configurable) {
            configurable.setConf(new JobConf(false));
        }
        final String letters = letters(LARGEST_KEY);
        for (int map = 0; map < 6; map++) {
            final List<TestSegment.Entry> entries = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                final int length = i == 0 ? LARGEST_KEY - 1 : 1 << random.nextInt(22);
                // Those of one length are equal, and those of two lengths differ at the end only.
                entries.add(
                        new TestSegment.Entry(letters.substring(0, length), "map" + map + "." + i));
            }
            segments.add(TestSegment.of(entries, codec));
        }
        final ReduceFixture task = task(4, "2m");
        task.set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), "16k");
        task.codec = codec;

        final List<TestSegment.Entry> read = reduce(task);

        assertThat(read.equals(TestSegment.merged(segments))).isTrue();
    }

    private String letters(final int count) {
        final StringBuilder letters = new StringBuilder(count);
        while (letters.length() < count) {
            letters.append((char) ('a' + random.nextInt(26)));
        }
        return letters.toString();
    }

    /** Some reducers of a job whose maps ran in the real collector; the last partition included. */
    @ParameterizedTest
    @CsvSource({
        "1, 0, false",
        "200, 0, false",
        "200, 7, true",
        "200, 199, false",
        "2000, 0, false",
        "2000, 1234, false",
        "2000, 1999, false",
        "2000, 1234, true",
        "2000, 1235, true"
    })
    void mergesWhatRealMapsHaveWritten(
            final int partitions, final int partition, final boolean oneGetsAll) throws Exception {
        final MapFixture job = new MapFixture(localDir, partitions);
        job.conf.setInt(MRJobConfig.IO_SORT_MB, 1);
        final int favourite = oneGetsAll ? partition & -2 : -1;
        for (int map = 0; map < 3; map++) {
            final List<TestSegment.Entry> ofPartition = new ArrayList<>();
            final MapOutputCollector<Text, Text> collector = job.collector(map, () -> {});
            for (int i = 0; i < 30_000; i++) {
                final int target = favourite < 0 ? random.nextInt(partitions) : favourite;
                final String key = "key" + random.nextInt(5000);
                final String value = "map" + map + "." + i;
                collector.collect(new Text(key), new Text(value), target);
                if (target == partition) {
                    ofPartition.add(new TestSegment.Entry(key, serialized(value)));
                }
            }
            collector.flush();
            collector.close();
            segments.add(stored(job, partition, ofPartition));
        }

        final List<TestSegment.Entry> read = reduce(task(partitions, "1m"));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
    }

    private static String serialized(final String value) throws IOException {
        final DataOutputBuffer out = new DataOutputBuffer();
        new Text(value).write(out);
        return new String(out.getData(), 0, out.getLength(), StandardCharsets.ISO_8859_1);
    }

    private static TestSegment stored(
            final MapFixture job, final int partition, final List<TestSegment.Entry> emitted)
            throws IOException {
        final Path output = job.lastOutput();
        final IndexRecord where =
                new SpillRecord(new org.apache.hadoop.fs.Path(output + ".index"), job.conf)
                        .getIndex(partition);
        final int start = (int) where.startOffset;
        final byte[] bytes =
                Arrays.copyOfRange(
                        Files.readAllBytes(output), start, start + (int) where.partLength);
        return TestSegment.stored(bytes, where.rawLength, emitted);
    }
}
