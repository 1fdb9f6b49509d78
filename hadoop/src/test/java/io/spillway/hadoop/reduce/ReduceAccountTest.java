// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments that have other numbers of records than their maps have counted. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReduceAccountTest {
    private static final int MAPS = 12;
    private static final int WINDOW = 1024;
    private static final int WRONG = 5;

    /** How segments come to the reducer. */
    enum Way {
        /** All fit in memory, and are merged at once. */
        WHOLE,
        /** They are merged ahead. */
        AHEAD,
        /** They are merged ahead and combined. */
        COMBINED,
        /** Only their heads are here when the merge begins. */
        STREAMED
    }

    @TempDir Path localDir;

    private final Random random = new Random(31);
    private final MemoryTransport transport = new MemoryTransport(32);
    private final List<TestSegment> segments = new ArrayList<>();

    @AfterEach
    void close() {
        transport.close();
    }

    private ReduceFixture task(final Way way) throws IOException {
        final ReduceFixture task = new ReduceFixture(MAPS, localDir);
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "4");
        task.set(EngineKeys.SHUFFLE_COMBINE.name(), "false");
        switch (way) {
            case WHOLE -> task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "1000");
            case COMBINED -> combining(task, Halving.class);
            case STREAMED -> task.minimalBuffer(WINDOW);
            default -> {}
        }
        for (int map = 0; map < MAPS; map++) {
            segments.add(segment());
        }
        return task;
    }

    /** Its values are texts, as combiners want them. */
    private TestSegment segment() throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            final byte[] value = TestSegment.serialized("v" + random.nextInt(1 << 30));
            entries.add(
                    new TestSegment.Entry(
                            "k" + random.nextInt(200),
                            new String(value, StandardCharsets.ISO_8859_1)));
        }
        return TestSegment.of(entries, null);
    }

    private static void combining(
            final ReduceFixture task, final Class<? extends Reducer<?, ?, ?, ?>> combiner) {
        task.withHadoopsReporter();
        task.set(EngineKeys.SHUFFLE_COMBINE.name(), "true");
        task.conf.setUseNewMapper(true);
        task.conf.setUseNewReducer(true);
        task.conf.setClass(MRJobConfig.COMBINE_CLASS_ATTR, combiner, Reducer.class);
    }

    private void serve(final ReduceFixture task) {
        for (int map = 0; map < MAPS; map++) {
            serve(task, map);
        }
    }

    private void serve(final ReduceFixture task, final int map) {
        transport.put(
                ReduceFixture.node(map), ReduceFixture.map(map, 0).toString(), segments.get(map));
        task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map));
    }

    /** Passes on every other record. */
    public static final class Halving extends Reducer<Text, Text, Text, Text> {
        private int seen;

        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            for (final Text value : values) {
                if (seen++ % 2 == 0) {
                    context.write(key, value);
                }
            }
        }
    }

    /** Passes on each record three times. */
    public static final class Tripling extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            for (final Text value : values) {
                for (int i = 0; i < 3; i++) {
                    context.write(key, value);
                }
            }
        }
    }

    /** Reads two records, and passes on one. */
    public static final class Impatient extends Reducer<Text, Text, Text, Text> {
        @Override
        public void run(final Context context) throws IOException, InterruptedException {
            context.nextKey();
            context.write(context.getCurrentKey(), context.getCurrentValue());
        }
    }

    /** Catches whatever its input throws. */
    public static final class Swallowing extends Reducer<Text, Text, Text, Text> {
        @Override
        public void run(final Context context) throws IOException, InterruptedException {
            try {
                super.run(context);
            } catch (final IOException | RuntimeException e) {
                context.write(new Text("swallowed"), new Text(""));
            }
        }
    }

    /** A run in which records come only after others were merged ahead. */
    private List<TestSegment.Entry> read(final ReduceFixture task, final Way way) throws Exception {
        final ReduceShuffle shuffle = task.shuffle(transport);
        try {
            if (way == Way.AHEAD || way == Way.COMBINED) {
                lateLast(task);
            } else {
                serve(task);
            }
            final List<TestSegment.Entry> read = IteratedRecords.readAll(shuffle.run());
            shuffle.finish();
            return read;
        } finally {
            shuffle.close();
        }
    }

    private void lateLast(final ReduceFixture task) {
        for (int map = 0; map < MAPS - 1; map++) {
            serve(task, map);
        }
        final Thread last =
                new Thread(
                        () -> {
                            final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
                            ReduceFixture.awaitWhile(() -> System.nanoTime() < end);
                            serve(task, MAPS - 1);
                        });
        last.start();
    }

    // ---- what is wrong is noticed --------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Way.class)
    void aSegmentThatEndsEarlyFailsTheAttemptAndIsReported(final Way way) throws Exception {
        final ReduceFixture task = task(way);
        final int count = segments.get(WRONG).records().size();
        segments.set(WRONG, segments.get(WRONG).counted(count + 1));

        assertThatThrownBy(() -> read(task, way))
                .hasStackTraceContaining("Wrong number of records in partition 3 run 0")
                .hasStackTraceContaining(ReduceFixture.map(WRONG, 0).toString())
                .hasStackTraceContaining("expected=" + (count + 1))
                .hasStackTraceContaining("found=" + count);

        assertThat(task.reported()).containsOnly(ReduceFixture.map(WRONG, 0)).hasSize(3);
    }

    @Test
    void aSegmentWithTooManyRecordsIsNoticed() throws Exception {
        final ReduceFixture task = task(Way.STREAMED);
        segments.set(WRONG, segments.get(WRONG).counted(299));

        assertThatThrownBy(() -> read(task, Way.STREAMED))
                .hasStackTraceContaining("expected=299")
                .hasStackTraceContaining("found=300");
    }

    @Test
    void aReducerThatCatchesTheFailureDoesNotSucceed() throws Exception {
        final ReduceFixture task = task(Way.STREAMED);
        segments.set(WRONG, segments.get(WRONG).counted(301));
        serve(task);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator)).isInstanceOf(IOException.class);

        assertThatThrownBy(shuffle::finish)
                .hasMessageContaining("gone on after its input had failed");
    }

    @Test
    void aCombinerThatCatchesTheFailureDoesNotHideIt() throws Exception {
        final ReduceFixture task = task(Way.COMBINED);
        combining(task, Swallowing.class);
        segments.set(WRONG, segments.get(WRONG).counted(301));

        assertThatThrownBy(() -> read(task, Way.COMBINED))
                .hasStackTraceContaining("expected=301")
                .hasStackTraceContaining("found=300");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -2, 1L << 40})
    void aCountThatCannotBeIsRefused(final long count) throws Exception {
        final ReduceFixture task = task(Way.WHOLE);
        final TestSegment sound = segments.get(WRONG);
        transport.put(
                ReduceFixture.node(WRONG),
                ReduceFixture.map(WRONG, 0).toString(),
                sound.counted(count));
        final ReduceShuffle shuffle = task.shuffle(transport);
        for (int map = 0; map < MAPS; map++) {
            if (map != WRONG) {
                serve(task, map);
            }
        }
        task.succeeded(ReduceFixture.map(WRONG, 0), ReduceFixture.node(WRONG));
        final Thread master =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () -> task.count("Shuffle Errors", "WRONG_LENGTH") == 0);
                            transport.put(
                                    ReduceFixture.node(0),
                                    ReduceFixture.map(WRONG, 1).toString(),
                                    sound);
                            task.event(ReduceFixture.map(WRONG, 0), Status.OBSOLETE);
                            task.succeeded(ReduceFixture.map(WRONG, 1), ReduceFixture.node(0));
                        });
        master.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));

        master.join();
        shuffle.close();
    }

    // ---- what is right passes ------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Way.class)
    void accountsThatAreRightPass(final Way way) throws Exception {
        final ReduceFixture task = task(way);
        final List<TestSegment.Entry> read = read(task, way);
        assertThat(read.size()).isLessThanOrEqualTo(MAPS * 300);
        if (way != Way.COMBINED) {
            assertThat(read).isEqualTo(TestSegment.merged(segments));
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Halving.class, Tripling.class, Impatient.class})
    void combinersMayDropAndMultiply(final Class<? extends Reducer<?, ?, ?, ?>> combiner)
            throws Exception {
        final ReduceFixture task = task(Way.COMBINED);
        combining(task, combiner);
        assertThatCode(() -> read(task, Way.COMBINED)).doesNotThrowAnyException();
    }

    private void makeUnknown() {
        for (int map = 0; map < MAPS; map += 2) {
            segments.set(map, segments.get(map).counted(FetchReply.UNKNOWN_RECORDS));
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void unknownCountsPass(final Way way) throws Exception {
        final ReduceFixture task = task(way);
        makeUnknown();
        assertThatCode(() -> read(task, way)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void countsBesideUnknownOnesAreChecked(final Way way) throws Exception {
        final ReduceFixture task = task(way);
        makeUnknown();
        segments.set(WRONG, segments.get(WRONG).counted(301));
        assertThatThrownBy(() -> read(task, way)).hasStackTraceContaining("expected=301");
    }

    @Test
    void compressedSegmentsAreCountedToo() throws Exception {
        final ReduceFixture task = new ReduceFixture(MAPS, localDir);
        task.codec = zlib();
        for (int map = 0; map < MAPS; map++) {
            segments.add(TestSegment.random(random, 300, 60, task.codec));
        }
        segments.set(WRONG, segments.get(WRONG).counted(301));
        assertThatThrownBy(() -> read(task, Way.WHOLE)).hasStackTraceContaining("expected=301");
    }

    private static CompressionCodec zlib() {
        final DefaultCodec codec = new DefaultCodec();
        codec.setConf(new org.apache.hadoop.conf.Configuration(false));
        return codec;
    }

    @Test
    void aReducerThatStopsEarlyIsNoLoss() throws Exception {
        final ReduceFixture task = task(Way.STREAMED);
        serve(task);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        assertThat(iterator.next()).isTrue();
        iterator.close();
        assertThatCode(shuffle::finish).doesNotThrowAnyException();
        shuffle.close();
    }

    /** The rest of the other attempt's output has other records, and so another number of them. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anAttemptThatTakesOverBringsItsOwnAccount(final int tooMany) throws Exception {
        final ReduceFixture task = task(Way.STREAMED);
        segments.clear();
        for (int map = 0; map < MAPS; map++) {
            segments.add(TestSegment.random(random, 3000, 200, null));
        }
        final TestSegment sound = segments.get(WRONG);
        final int count = sound.records().size();
        segments.set(WRONG, sound.counted(count + 7));
        serve(task);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = new ArrayList<>();
        for (int i = 0; i < 500 && iterator.next(); i++) {
            read.add(IteratedRecords.entry(iterator));
        }
        transport.refuse(ReduceFixture.node(WRONG), Reason.DISCONNECTED);
        transport.put(
                ReduceFixture.node(99),
                ReduceFixture.map(WRONG, 1).toString(),
                sound.counted(count + tooMany));
        task.event(ReduceFixture.map(WRONG, 0), Status.OBSOLETE);
        task.succeeded(ReduceFixture.map(WRONG, 1), ReduceFixture.node(99));

        if (tooMany == 0) {
            read.addAll(IteratedRecords.readAll(iterator));
            assertThat(read).isEqualTo(TestSegment.merged(segments));
            assertThat(task.figure(ShuffleCounter.ATTEMPT_FAILOVERS)).isOne();
        } else {
            assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                    .hasStackTraceContaining("expected=" + (count + 1))
                    .hasStackTraceContaining(ReduceFixture.map(WRONG, 1).toString());
        }
        shuffle.close();
    }
}
