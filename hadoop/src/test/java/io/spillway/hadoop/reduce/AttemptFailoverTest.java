// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sources lost or silent after their first records were merged, and maps that have run again. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttemptFailoverTest {
    private static final int WINDOW = 1024;
    private static final int MAPS = 4;
    private static final int LOST = 2;

    @TempDir Path localDir;

    private final Random random = new Random(17);
    private final MemoryTransport transport = new MemoryTransport(18);
    private final List<TestSegment> segments = new ArrayList<>();

    @AfterEach
    void close() {
        transport.close();
    }

    /** Map i on node i, in so many runs; more than all windows hold. */
    private ReduceFixture serve(final int runs) throws IOException {
        final ReduceFixture task = new ReduceFixture(MAPS, localDir);
        if (runs > 1) {
            task.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle")
                    .set(HadoopKeys.SPILL_MERGE.name(), "never")
                    .set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), "1024")
                    .set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), "4096")
                    .set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "64k");
        } else {
            task.minimalBuffer(WINDOW);
        }
        for (int map = 0; map < MAPS; map++) {
            final TestSegment[] ofMap = new TestSegment[runs];
            for (int run = 0; run < runs; run++) {
                ofMap[run] = TestSegment.random(random, 3000 / runs, 200, null);
                segments.add(ofMap[run]);
            }
            transport.put(ReduceFixture.node(map), ReduceFixture.map(map, 0).toString(), ofMap);
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map));
        }
        return task;
    }

    private void rerun(final ReduceFixture task, final TestSegment... output) {
        transport.put(ReduceFixture.node(9), ReduceFixture.map(LOST, 1).toString(), output);
        task.event(ReduceFixture.map(LOST, 0), Status.OBSOLETE);
        task.succeeded(ReduceFixture.map(LOST, 1), ReduceFixture.node(9));
    }

    private TestSegment[] outputOfLost(final int runs) {
        return segments.subList(LOST * runs, (LOST + 1) * runs).toArray(TestSegment[]::new);
    }

    private static List<TestSegment.Entry> readSome(
            final RawKeyValueIterator iterator, final int count) throws IOException {
        final List<TestSegment.Entry> read = new ArrayList<>();
        while (read.size() < count && iterator.next()) {
            read.add(IteratedRecords.entry(iterator));
        }
        return read;
    }

    /** Some of it is merged, and one source cannot be reached any more. */
    private RawKeyValueIterator mergeThatLosesASource(final ReduceFixture task) throws Exception {
        final RawKeyValueIterator iterator = task.shuffle(transport).run();
        readSome(iterator, 500);
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        return iterator;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void goesOnWithTheSameOutputOfAnotherAttempt(final int runs) throws Exception {
        final ReduceFixture task = serve(runs);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = readSome(iterator, 500);
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        rerun(task, outputOfLost(runs));

        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(task.figure(ShuffleCounter.ATTEMPT_FAILOVERS)).isEqualTo(1);
        shuffle.close();
    }

    @Test
    void goesOnAlthoughTheMapRunsAgainOnlyMuchLater() throws Exception {
        final ReduceFixture task = serve(1);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000");
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = readSome(iterator, 500);
        task.event(ReduceFixture.map(LOST, 0), Status.OBSOLETE);
        Thread.sleep(300);
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        final Thread later =
                new Thread(
                        () -> {
                            final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
                            ReduceFixture.awaitWhile(() -> System.nanoTime() < end);
                            rerun(task, outputOfLost(1));
                        });
        later.start();

        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        later.join();
        shuffle.close();
    }

    @Test
    void failsWhenTheLostMapDoesNotRunAgainInTime() throws Exception {
        final ReduceFixture task = serve(1);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "100")
                .set(EngineKeys.SHUFFLE_RERUN_WAIT.name(), "900");
        final RawKeyValueIterator iterator = mergeThatLosesASource(task);
        task.event(ReduceFixture.map(LOST, 0), Status.OBSOLETE);
        final long lost = System.nanoTime();

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("spillway.shuffle.rerun.wait.ms=900");
        assertThat(System.nanoTime() - lost).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(800));
    }

    @Test
    void failsWhenTheOtherAttemptsOutputIsNotTheSame() throws Exception {
        final ReduceFixture task = serve(1);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000");
        final RawKeyValueIterator iterator = mergeThatLosesASource(task);
        rerun(task, outputOfLost(1)[0].other(20));

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not the same")
                .hasMessageContaining(ReduceFixture.map(LOST, 1).toString());
        assertThat(transport.isClosed()).isTrue();
    }

    /** Nothing is asked for it any more, and other streams have the use of its memory. */
    @Test
    void aStreamThatCannotGoOnHoldsNoMemoryAndAsksForNothing() throws Exception {
        final ReduceFixture task = serve(1);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000");
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        readSome(iterator, 500);
        final SegmentFetch lost = shuffle.engine().coordinator().maps().get(LOST).fetches().get(0);
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        rerun(task, outputOfLost(1)[0].other(20));
        final FutureTask<List<TestSegment.Entry>> reader =
                new FutureTask<>(() -> IteratedRecords.readAll(iterator));
        new Thread(reader).start();
        ReduceFixture.awaitWhile(() -> !lost.queue.hasFailed());

        // The queue's lock makes what happened before its failure visible here.
        assertThat(lost.isDropped()).isTrue();
        assertThat(lost.queue.isEmpty()).isTrue();
        assertThat(lost.claim.held()).as("chunks, but for the one that is merged").isBetween(0, 1);
        assertThat(lost.claim.demand()).isZero();
        final AtomicInteger requests = new AtomicInteger();
        transport.script(
                (node, segment, offset) -> {
                    if (node.equals(ReduceFixture.node(LOST))) {
                        requests.incrementAndGet();
                    }
                    return null;
                });
        transport.refuse(ReduceFixture.node(LOST), null);
        assertThatThrownBy(reader::get)
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("cannot replace it");
        shuffle.close();
        assertThat(requests.get()).isZero();
    }

    /** As that of a NodeManager which starts: it is no verdict on the map that ran again there. */
    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"NOT_SPILLWAY", "UNKNOWN_JOB"})
    void goesOnWithANodeThatDoesNotServeAtFirst(final Reason reason) throws Exception {
        final ReduceFixture task = serve(1);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = readSome(iterator, 500);
        transport.refuse(ReduceFixture.node(9), reason);
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        rerun(task, outputOfLost(1));
        final Thread start =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () -> transport.refusals(ReduceFixture.node(9)) < 3);
                            transport.refuse(ReduceFixture.node(9), null);
                        });
        start.start();

        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(task.reported()).doesNotContain(ReduceFixture.map(LOST, 1));
        start.join();
        shuffle.close();
    }

    /** The node lets the reducer in, and does not know the job when it is asked for the output. */
    @Test
    void goesOnWithANodeThatRefusesTheFirstRequests() throws Exception {
        final ReduceFixture task = serve(1);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = readSome(iterator, 500);
        final AtomicInteger requests = new AtomicInteger();
        transport.script(
                (node, segment, offset) ->
                        node.equals(ReduceFixture.node(9)) && requests.incrementAndGet() <= 3
                                ? Reason.UNKNOWN_JOB
                                : null);
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        rerun(task, outputOfLost(1));

        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(requests.get()).isGreaterThan(3);
        assertThat(task.reported()).doesNotContain(ReduceFixture.map(LOST, 1));
        shuffle.close();
    }

    /** The map that ran again there is reported, to run once more elsewhere. */
    @Test
    void reportsAMapOnANodeThatNeverLearnsOfTheJob() throws Exception {
        final ReduceFixture task = serve(1);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = readSome(iterator, 500);
        transport.refuse(ReduceFixture.node(9), Reason.UNKNOWN_JOB);
        transport.refuse(ReduceFixture.node(LOST), Reason.DISCONNECTED);
        rerun(task, outputOfLost(1));
        final Thread master =
                new Thread(
                        () -> {
                            final TaskAttemptID second = ReduceFixture.map(LOST, 1);
                            ReduceFixture.awaitWhile(() -> !task.reported().contains(second));
                            transport.put(
                                    ReduceFixture.node(8),
                                    ReduceFixture.map(LOST, 2).toString(),
                                    outputOfLost(1));
                            task.event(second, Status.OBSOLETE);
                            task.succeeded(ReduceFixture.map(LOST, 2), ReduceFixture.node(8));
                        });
        master.start();

        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(task.reported()).contains(ReduceFixture.map(LOST, 1));
        master.join();
        shuffle.close();
    }

    /** A merge cannot be gone on with over stock HTTP: it is waited for so long and no longer. */
    @Test
    void failsWhenTheMapRanAgainWhereThereIsStockHttpOnly() throws Exception {
        final ReduceFixture task = serve(1);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000");
        final RawKeyValueIterator iterator = mergeThatLosesASource(task);
        transport.refuse(ReduceFixture.node(9), Reason.NOT_SPILLWAY);
        rerun(task, outputOfLost(1));

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("stock HTTP only")
                .hasMessageContaining(ReduceFixture.map(LOST, 1).toString());
        assertThat(task.reported()).doesNotContain(ReduceFixture.map(LOST, 1));
    }

    @Test
    void failsWhenTheOtherAttemptsOutputHasAnotherLength() throws Exception {
        final ReduceFixture task = serve(1);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "1000");
        final RawKeyValueIterator iterator = mergeThatLosesASource(task);
        rerun(task, TestSegment.random(random, 3000, 200, null));

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .hasMessageContaining("partLength=");
    }

    @Test
    void asksAnotherAttemptWhenTheSourceIsSilentWhileItsRecordsAreMerged() throws Exception {
        final ReduceFixture task = serve(1);
        task.set(EngineKeys.SHUFFLE_HEDGE.name(), "100");
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = readSome(iterator, 500);
        transport.silence(ReduceFixture.node(LOST));
        transport.put(
                ReduceFixture.node(9), ReduceFixture.map(LOST, 1).toString(), outputOfLost(1));
        task.succeeded(ReduceFixture.map(LOST, 1), ReduceFixture.node(9));

        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        shuffle.close();
    }

    /**
     * The silent request holds a chunk, and the other stream what the silent one had no use for.
     */
    @Test
    void takesOverAlthoughAllMemoryIsHeldByTheSilentRequestAndOtherStreams() throws Exception {
        final ReduceFixture task =
                new ReduceFixture(2, localDir)
                        .minimalBuffer(WINDOW)
                        .set(EngineKeys.SHUFFLE_WINDOWS.name(), "static")
                        .set(EngineKeys.SHUFFLE_HEDGE.name(), "1000");
        final TestSegment silent = ofLength("a", WINDOW * 3 / 2);
        segments.addAll(List.of(silent, ofLength("b", WINDOW * 20)));
        for (int map = 0; map < 2; map++) {
            transport.put(
                    ReduceFixture.node(map),
                    ReduceFixture.map(map, 0).toString(),
                    segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map));
        }
        transport.silence(ReduceFixture.node(0), WINDOW);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        transport.put(ReduceFixture.node(9), ReduceFixture.map(0, 1).toString(), silent);
        task.succeeded(ReduceFixture.map(0, 1), ReduceFixture.node(9));

        assertThat(IteratedRecords.readAll(iterator)).isEqualTo(TestSegment.merged(segments));
        shuffle.close();
    }

    private static TestSegment ofLength(final String key, final int bytes) throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (int i = bytes / 100; i > 0; i--) {
            entries.add(new TestSegment.Entry(key + i, "v".repeat(90)));
        }
        return TestSegment.of(entries, null);
    }

    @Test
    void asksAnotherAttemptWhenTheSourceIsSilentFromTheStart() throws Exception {
        final ReduceFixture task = serve(1);
        task.set(EngineKeys.SHUFFLE_HEDGE.name(), "100");
        transport.silence(ReduceFixture.node(LOST));
        transport.put(
                ReduceFixture.node(9), ReduceFixture.map(LOST, 1).toString(), outputOfLost(1));
        task.succeeded(ReduceFixture.map(LOST, 1), ReduceFixture.node(9));

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
    }

    /** Every attempt is lost in turn; what is merged comes from all of them. */
    @Test
    void goesFromAttemptToAttempt() throws Exception {
        final ReduceFixture task = serve(1);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = new ArrayList<>();
        for (int attempt = 1; attempt < 5; attempt++) {
            read.addAll(readSome(iterator, 1000));
            transport.refuse(
                    ReduceFixture.node(attempt == 1 ? LOST : 100 + attempt - 1),
                    Reason.DISCONNECTED);
            transport.put(
                    ReduceFixture.node(100 + attempt),
                    ReduceFixture.map(LOST, attempt).toString(),
                    outputOfLost(1));
            task.event(ReduceFixture.map(LOST, attempt - 1), Status.OBSOLETE);
            task.succeeded(ReduceFixture.map(LOST, attempt), ReduceFixture.node(100 + attempt));
        }

        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        shuffle.close();
    }
}
