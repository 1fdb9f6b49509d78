// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reduce side against maps that have left their outputs in several runs. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReduceRunsTest {
    private static final int WINDOW = 1024;
    private static final int MOST_RUNS = 8;

    @TempDir Path localDir;

    private final Random random = new Random(17);
    private final MemoryTransport transport = new MemoryTransport(18);
    private final List<TestSegment> segments = new ArrayList<>();

    @AfterEach
    void close() {
        transport.close();
    }

    private ReduceFixture task(final int maps) {
        return new ReduceFixture(maps, localDir)
                .set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle")
                .set(HadoopKeys.SPILL_MERGE.name(), "never");
    }

    /** A budget of exactly two windows for every run that there may be. */
    private ReduceFixture smallTask(final int maps) {
        return task(maps)
                .set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), Integer.toString(WINDOW))
                .set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), "4096")
                .set(
                        EngineKeys.SHUFFLE_BUFFER_BYTES.name(),
                        Integer.toString(2 * WINDOW * MOST_RUNS * maps));
    }

    private TestSegment[] runs(final int count, final int records) throws IOException {
        final TestSegment[] runs = new TestSegment[count];
        for (int run = 0; run < count; run++) {
            final int some = random.nextInt(5) == 0 ? 0 : random.nextInt(records);
            runs[run] = TestSegment.random(random, some, random.nextInt(200), null);
        }
        return runs;
    }

    /** Gives maps between one run and eight each, and announces them. */
    private void serve(final ReduceFixture task, final int maps, final int nodes, final int records)
            throws IOException {
        for (int map = 0; map < maps; map++) {
            final TestSegment[] runs = runs(1 + random.nextInt(MOST_RUNS), records);
            segments.addAll(List.of(runs));
            transport.put(
                    ReduceFixture.node(map % nodes), ReduceFixture.map(map, 0).toString(), runs);
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % nodes));
        }
    }

    private long partBytes() {
        return segments.stream().mapToLong(segment -> segment.bytes().length).sum();
    }

    @Test
    void mergesAllRunsOfAllMaps() throws Exception {
        final ReduceFixture task = task(6);
        serve(task, 6, 2, 500);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        assertThat(task.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(6);
        assertThat(task.count(TaskCounter.MERGED_MAP_OUTPUTS)).isEqualTo(6);
        assertThat(task.count(TaskCounter.REDUCE_SHUFFLE_BYTES)).isEqualTo(partBytes());
        assertThat(task.count(TaskCounter.FAILED_SHUFFLE)).isZero();
    }

    /** As small as can be, everything out of order, broken links: hangs if memory can run out. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void streamsRunsWithTheSmallestBuffer(final int seed) throws Exception {
        random.setSeed(seed);
        final ReduceFixture task = smallTask(40);
        serve(task, 40, 4, 200);
        final AtomicInteger fetches = new AtomicInteger();
        transport.script(
                (node, segment, offset) ->
                        fetches.incrementAndGet() % 97 == 0 ? Reason.DISCONNECTED : null);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        assertThat(task.figure(ShuffleCounter.PEAK_BUFFER_BYTES))
                .isLessThanOrEqualTo(ReduceFixture.withHeads(2L * WINDOW * MOST_RUNS * 40));
        assertThat(task.count(TaskCounter.REDUCE_SHUFFLE_BYTES)).isEqualTo(partBytes());
    }

    /** The runs of two attempts are cut differently: a mixture would lose and repeat records. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void neverMixesTheRunsOfTwoAttempts(final boolean small) throws Exception {
        final ReduceFixture task = small ? smallTask(5) : task(5);
        serve(task, 4, 4, 400);
        final String lost = ReduceFixture.map(4, 0).toString();
        final TestSegment[] again = runs(3, 600);
        transport.put(ReduceFixture.node(4), lost, runs(5, 400));
        task.succeeded(ReduceFixture.map(4, 0), ReduceFixture.node(4));
        transport.put(ReduceFixture.node(3), ReduceFixture.map(4, 1).toString(), again);
        transport.script(
                (node, segment, offset) ->
                        segment.output().equals(lost) && segment.run() == 3
                                ? Reason.SOURCE_FAILED
                                : null);
        segments.addAll(List.of(again));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread master =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> task.reported().size() < 3);
                            task.event(ReduceFixture.map(4, 0), Status.FAILED);
                            task.succeeded(ReduceFixture.map(4, 1), ReduceFixture.node(3));
                        });
        master.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));

        assertThat(task.reported()).containsOnly(ReduceFixture.map(4, 0));
        assertThat(task.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(5);
        master.join();
    }

    @Test
    void aStreamOfARunThatIsLostFailsTheAttemptAndNamesIt() throws Exception {
        final ReduceFixture task = smallTask(2);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "300");
        final TestSegment[] runs = new TestSegment[MOST_RUNS];
        for (int run = 0; run < MOST_RUNS; run++) {
            runs[run] = TestSegment.random(random, 600, 150, null);
        }
        for (int map = 0; map < 2; map++) {
            transport.put(ReduceFixture.node(map), ReduceFixture.map(map, 0).toString(), runs);
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map));
        }
        final RawKeyValueIterator iterator = task.shuffle(transport).run();
        transport.script(
                (node, segment, offset) -> segment.run() == 5 ? Reason.SOURCE_FAILED : null);

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Lost map output of attempt_")
                .hasMessageContaining(" run 5 at ");
    }

    @Test
    void moreRunsThanTheJobMayHaveAreAWrongAnswer() throws Exception {
        final ReduceFixture task = task(1);
        transport.put(ReduceFixture.node(0), ReduceFixture.map(0, 0).toString(), runs(9, 50));
        task.succeeded(ReduceFixture.map(0, 0), ReduceFixture.node(0));
        final ReduceShuffle shuffle = task.shuffle(transport);

        assertThatThrownBy(shuffle::run).hasStackTraceContaining("MAX_FAILED_UNIQUE_FETCHES");
        assertThat(task.count(TaskReports.ERRORS, "WRONG_LENGTH")).isPositive();
    }
}
