// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.hadoop.SpillwayShuffle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Map outputs of the stock collector, which have no checksums of blocks. */
@Timeout(120)
class UnverifiedStreamsTest {
    private static final int MAPS = 3;
    private static final int WINDOW = 1024;
    private static final int REPORTS = 3;

    private final Random random = new Random(12);
    private final MemoryTransport transport = new MemoryTransport(12);
    private final List<TestSegment> segments = new ArrayList<>();

    @TempDir Path localDir;

    @BeforeEach
    void serveWhatTheStockCollectorWrites() {
        transport.withoutChecksums();
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private ReduceFixture task(final CompressionCodec codec) throws IOException {
        final ReduceFixture task = new ReduceFixture(MAPS, localDir);
        task.codec = codec;
        for (int map = 0; map < MAPS; map++) {
            segments.add(TestSegment.random(random, 400, 60, codec));
            serve(map, segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map));
        }
        return task;
    }

    private void serve(final int map, final TestSegment segment) {
        transport.put(ReduceFixture.node(map), ReduceFixture.map(map, 0).toString(), segment);
    }

    private void damage(final int map, final int fromEnd) {
        final TestSegment whole = segments.get(map);
        serve(map, whole.corrupted(whole.bytes().length - fromEnd));
    }

    private static RawKeyValueIterator begun(final ReduceShuffle shuffle) throws Exception {
        final RawKeyValueIterator iterator = shuffle.run();
        for (int i = 0; i < 20; i++) {
            assertThat(iterator.next()).isTrue();
        }
        return iterator;
    }

    // ---- reducers that stop early --------------------------------------------------------------

    @Test
    void whatAReducerThatStopsEarlyHasNotTakenIsVerified() throws Exception {
        final ReduceFixture task = task(null).minimalBuffer(WINDOW);
        final ReduceShuffle shuffle = task.shuffle(transport);
        begun(shuffle);

        shuffle.finish();

        assertThat(task.reported()).isEmpty();
        assertThat(transport.isClosed()).isTrue();
    }

    @Test
    void anAttemptThatStopsEarlyFailsWhereAMapOutputIsDamaged() throws Exception {
        final ReduceFixture task = task(null).minimalBuffer(WINDOW);
        damage(2, 10);
        final ReduceShuffle shuffle = task.shuffle(transport);
        begun(shuffle);

        assertThatThrownBy(shuffle::finish)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("Checksum error in map output of")
                .hasMessageContaining(ReduceFixture.map(2, 0).toString());

        assertThat(task.reported()).hasSize(REPORTS).containsOnly(ReduceFixture.map(2, 0));
        assertThat(task.umbilical.statusUpdates()).isGreaterThanOrEqualTo(2);
        assertThat(transport.isClosed()).isTrue();
    }

    // ---- cursors and codecs --------------------------------------------------------------------

    private static CompressionCodec zlib() {
        final DefaultCodec codec = new DefaultCodec();
        codec.setConf(new Configuration(false));
        return codec;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCursorOrCodecThatFailsMakesTheMapBeReported(final boolean compressed) throws Exception {
        final ReduceFixture task =
                task(compressed ? zlib() : null).minimalBuffer(compressed ? 2 * WINDOW : WINDOW);
        final int length = segments.get(1).bytes().length;
        // Every byte of a long piece behind the head: lengths are hit, and the codec's blocks.
        TestSegment damaged = segments.get(1);
        for (int at = 2 * WINDOW; at < Math.min(length, 5 * WINDOW); at++) {
            damaged = damaged.corrupted(at);
        }
        serve(1, damaged);
        final RawKeyValueIterator iterator = task.shuffle(transport).run();

        final Throwable failure =
                catchThrowable(
                        () -> {
                            while (iterator.next()) {
                                iterator.getValue();
                            }
                        });

        assertThat(failure).isNotNull();
        assertThat(task.reported()).hasSize(REPORTS).containsOnly(ReduceFixture.map(1, 0));
        assertThat(transport.isClosed()).isTrue();
        assertThatThrownBy(iterator::next).isInstanceOf(IOException.class);
    }

    @Test
    void anAttemptThatGoesOnAfterItsInputHasFailedCommitsNothing() throws Exception {
        final ReduceFixture task = task(null).minimalBuffer(WINDOW);
        damage(1, 10);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        assertThat(catchThrowable(() -> IteratedRecords.readAll(iterator))).isNotNull();

        assertThatThrownBy(shuffle::finish).isInstanceOf(UncheckedIOException.class);
    }

    // ---- whole segments ------------------------------------------------------------------------

    @Test
    void aSegmentThatFitsIsVerifiedBeforeItIsMergedHoweverLateItsEndComes() throws Exception {
        final ReduceFixture task =
                task(null).set("spillway.shuffle.window.max", "4096").withHadoopsReporter();
        damage(2, 10);
        final long late = (segments.get(2).bytes().length - 1) / 4096 * 4096L;
        transport.script(
                (node, segment, offset) -> {
                    if (segment.output().endsWith("2_0") && offset == late) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(700));
                    }
                    return null;
                });
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread repair =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> task.reported().isEmpty());
                            serve(2, segments.get(2));
                        });
        repair.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));

        repair.join();
        assertThat(task.reported()).containsOnly(ReduceFixture.map(2, 0));
    }

    // ---- user code -----------------------------------------------------------------------------

    /** What these reducers do with a damaged value is what readFields() does with damaged bytes. */
    private static void take(final Text value) {
        if (!value.toString().startsWith("value")) {
            throw new IllegalStateException("a value that no map has written");
        }
    }

    /** The new API. */
    public static final class NewReducer extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void setup(final Context context) {
            if (context.getConfiguration().getClass(MRJobConfig.REDUCE_CLASS_ATTR, null)
                    != NewReducer.class) {
                throw new IllegalArgumentException("not the job's own configuration");
            }
        }

        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context) {
            values.forEach(UnverifiedStreamsTest::take);
        }
    }

    /** The old API. */
    public static final class OldReducer extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<Text, Text, Text, Text> {
        @Override
        public void configure(final JobConf job) {
            if (job.getReducerClass() != OldReducer.class) {
                throw new IllegalArgumentException("not the job's own configuration");
            }
        }

        @Override
        public void reduce(
                final Text key,
                final Iterator<Text> values,
                final OutputCollector<Text, Text> output,
                final Reporter reporter) {
            values.forEachRemaining(UnverifiedStreamsTest::take);
        }
    }

    private static TestSegment segmentOfText() throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            entries.add(new TestSegment.Entry("key-" + (10_000 + i), (char) 5 + "value"));
        }
        return TestSegment.of(entries, null);
    }

    private ReduceFixture fixture(final boolean newApi) {
        final ReduceFixture task = new ReduceFixture(1, localDir).minimalBuffer(WINDOW);
        final JobConf conf = task.conf;
        if (newApi) {
            conf.setUseNewReducer(true);
            conf.setClass(MRJobConfig.REDUCE_CLASS_ATTR, NewReducer.class, Reducer.class);
            conf.setClass(
                    MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR,
                    org.apache.hadoop.mapreduce.lib.output.NullOutputFormat.class,
                    org.apache.hadoop.mapreduce.OutputFormat.class);
        } else {
            conf.setReducerClass(OldReducer.class);
            conf.setOutputFormat(org.apache.hadoop.mapred.lib.NullOutputFormat.class);
            conf.setOutputCommitter(ReduceTaskTest.NoCommitter.class);
        }
        conf.setClass(
                MRConfig.SHUFFLE_CONSUMER_PLUGIN,
                SpillwayShuffle.class,
                org.apache.hadoop.mapred.ShuffleConsumerPlugin.class);
        conf.setOutputKeyClass(Text.class);
        conf.setOutputValueClass(Text.class);
        conf.setInt(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, 100);
        conf.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
        return task;
    }

    private void run(final ReduceFixture task, final TestSegment segment) throws Exception {
        try (FileNode node = new FileNode()) {
            node.put(localDir, ReduceFixture.map(0, 0).toString(), segment);
            task.succeeded(ReduceFixture.map(0, 0), node.address());
            task.task.localizeConfiguration(task.conf);
            task.task.run(task.conf, task.umbilical.protocol());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReducerThatFailsOnDamagedRecordsMakesTheMapBeReported(final boolean newApi)
            throws Exception {
        final ReduceFixture task = fixture(newApi);
        final TestSegment whole = segmentOfText();
        final int firstByteOfAValue =
                new String(whole.bytes(), StandardCharsets.ISO_8859_1).indexOf("value", 9000);

        assertThatThrownBy(() -> run(task, whole.corrupted(firstByteOfAValue)))
                .hasMessage("a value that no map has written")
                .satisfies(
                        failure ->
                                assertThat(failure.getSuppressed()[0])
                                        .hasMessageContaining("Checksum error in map output of"));

        assertThat(task.umbilical.fetchFailures())
                .hasSize(REPORTS)
                .containsOnly(ReduceFixture.map(0, 0));
    }

    @Test
    void aKeyOfTheOldApiThatCannotBeReadMakesTheMapBeReported() throws Exception {
        final ReduceFixture task = fixture(false);
        final TestSegment whole = segmentOfText();
        // The length in front of a Text: Hadoop reads it outside of the reducer.
        final int lengthOfAKey =
                new String(whole.bytes(), StandardCharsets.ISO_8859_1).indexOf("key", 9000) - 1;

        assertThat(catchThrowable(() -> run(task, whole.corrupted(lengthOfAKey)))).isNotNull();

        assertThat(task.umbilical.fetchFailures())
                .hasSize(REPORTS)
                .containsOnly(ReduceFixture.map(0, 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReducerThatFailsOfItselfAccusesNoMap(final boolean newApi) throws Exception {
        final ReduceFixture task = fixture(newApi);
        final List<TestSegment.Entry> entries =
                List.of(new TestSegment.Entry("key", (char) 5 + "other"));
        final List<TestSegment.Entry> all = new ArrayList<>(segmentOfText().records());
        all.addAll(entries);

        assertThatThrownBy(() -> run(task, TestSegment.of(all, null)))
                .hasMessage("a value that no map has written")
                .hasNoSuppressedExceptions();

        assertThat(task.umbilical.fetchFailures()).isEmpty();
    }
}
