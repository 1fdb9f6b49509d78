// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.http.ShuffleUrl;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole reduce side against nodes in memory. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReduceShuffleTest {
    private static final int WINDOW = 1024;

    @TempDir Path localDir;

    private final Random random = new Random(7);
    private final MemoryTransport transport = new MemoryTransport(8);
    private final List<TestSegment> segments = new ArrayList<>();

    @AfterEach
    void close() {
        transport.close();
    }

    /** Puts one segment of each map on one of {@code nodes} nodes, and announces all. */
    private void serve(
            final ReduceFixture task, final int nodes, final int records, final int maxValue)
            throws IOException {
        final List<Integer> order = new ArrayList<>();
        for (int map = 0; map < task.conf.getNumMapTasks(); map++) {
            segments.add(TestSegment.random(random, records, maxValue, task.codec));
            transport.put(
                    ReduceFixture.node(map % nodes),
                    ReduceFixture.map(map, 0).toString(),
                    segments.get(map));
            order.add(map);
        }
        Collections.shuffle(order, random);
        for (final int map : order) {
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % nodes));
        }
    }

    private long partBytes() {
        return segments.stream().mapToLong(segment -> segment.bytes().length).sum();
    }

    @Test
    void mergesWholeSegments() throws Exception {
        final ReduceFixture task = new ReduceFixture(6, localDir);
        serve(task, 2, 500, 100);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        assertThat(task.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(6);
        assertThat(task.count(TaskCounter.MERGED_MAP_OUTPUTS)).isEqualTo(6);
        assertThat(task.count(TaskCounter.REDUCE_SHUFFLE_BYTES)).isEqualTo(partBytes());
        assertThat(task.count(TaskCounter.SPILLED_RECORDS)).isZero();
        assertThat(task.count(TaskCounter.FAILED_SHUFFLE)).isZero();
        assertThat(figure(task, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isEqualTo(partBytes());
        assertThat(task.copyPhase.get()).isGreaterThan(0);
        assertThat(task.status.getPhase()).isEqualTo(TaskStatus.Phase.SORT);
        assertThat(task.status.getStateString()).isEqualTo("6 / 6 copied.");
        assertThat(task.copyPhase.toString()).startsWith("copy(6 of 6 at ");
        assertThat(transport.isClosed()).isTrue();
    }

    private static long figure(final ReduceFixture task, final ShuffleCounter figure) {
        return task.figure(figure);
    }

    @Test
    void aJobWithoutMapsGivesAnEmptyIterator() throws Exception {
        final RawKeyValueIterator iterator =
                new ReduceFixture(0, localDir).shuffle(transport).run();

        assertThat(iterator.getProgress()).isNotNull();
        assertThat(iterator.next()).isFalse();
        assertThat(iterator.next()).isFalse();
        iterator.close();
    }

    @Test
    void streamsWhatDoesNotFit() throws Exception {
        final ReduceFixture task = new ReduceFixture(8, localDir).minimalBuffer(WINDOW);
        serve(task, 3, 900, 200);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        assertThat(figure(task, ShuffleCounter.PEAK_BUFFER_BYTES))
                .isLessThanOrEqualTo(ReduceFixture.withHeads(16 * WINDOW));
        assertThat(task.count(TaskCounter.REDUCE_SHUFFLE_BYTES)).isEqualTo(partBytes());
        assertThat(figure(task, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isEqualTo(partBytes());
    }

    /** A small pool, many maps, everything out of order: this hangs if memory can run out. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void manyMapsAndTheSmallestBufferDoNotDeadlock(final int seed) throws Exception {
        random.setSeed(seed);
        final ReduceFixture task = new ReduceFixture(300, localDir).minimalBuffer(WINDOW);
        task.set(ProtocolKeys.SHUFFLE_REQUESTS_IN_FLIGHT.name(), Integer.toString(seed));
        for (int map = 0; map < 300; map++) {
            final int records = random.nextInt(4) == 0 ? 0 : random.nextInt(120);
            segments.add(TestSegment.random(random, records, random.nextInt(400), null));
            transport.put(
                    ReduceFixture.node(map % 4),
                    ReduceFixture.map(map, 0).toString(),
                    segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % 4));
        }
        final AtomicInteger fetches = new AtomicInteger();
        transport.script(
                (node, segment, offset) ->
                        fetches.incrementAndGet() % 97 == 0 ? Reason.DISCONNECTED : null);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

        assertThat(figure(task, ShuffleCounter.PEAK_BUFFER_BYTES))
                .isLessThanOrEqualTo(ReduceFixture.withHeads(600 * WINDOW));
        assertThat(task.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(300);
    }

    @Test
    void mergesByTheJobsComparatorWherePrefixesAreSwitchedOff() throws Exception {
        final ReduceFixture task = new ReduceFixture(5, localDir).minimalBuffer(WINDOW);
        task.set(EngineKeys.SORT_PREFIX.name(), "false");
        serve(task, 2, 300, 50);

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
    }

    @Test
    void aRecordLargerThanAllWindowsIsMerged() throws Exception {
        final ReduceFixture task = new ReduceFixture(2, localDir).minimalBuffer(WINDOW);
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (final String key : List.of("a", "m", "z")) {
            entries.add(new TestSegment.Entry(key, "x".repeat(50_000)));
            entries.add(new TestSegment.Entry(key, ""));
        }
        for (int map = 0; map < 2; map++) {
            segments.add(TestSegment.of(entries, null));
            transport.put(
                    ReduceFixture.node(0), ReduceFixture.map(map, 0).toString(), segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(0));
        }

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mergesCompressedSegments(final boolean streamed) throws Exception {
        final ReduceFixture task = new ReduceFixture(5, localDir);
        if (streamed) {
            task.minimalBuffer(WINDOW);
        }
        final DefaultCodec codec = new DefaultCodec();
        codec.setConf(task.conf);
        task.codec = codec;
        serve(task, 2, 800, 120);
        segments.set(4, TestSegment.of(List.of(), codec));
        transport.put(ReduceFixture.node(0), ReduceFixture.map(4, 0).toString(), segments.get(4));

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
    }

    @Test
    void emptySegmentsAndFailedMapsGiveNothing() throws Exception {
        final ReduceFixture task = new ReduceFixture(4, localDir);
        serve(task, 1, 50, 20);
        segments.set(1, TestSegment.of(List.of(), null));
        transport.put(ReduceFixture.node(0), ReduceFixture.map(1, 0).toString(), segments.get(1));
        final ReduceFixture fewer = new ReduceFixture(5, localDir);
        for (int map = 0; map < 4; map++) {
            fewer.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(0));
        }
        fewer.event(ReduceFixture.map(4, 3), Status.TIPFAILED);

        assertThat(fewer.readAll(transport)).isEqualTo(TestSegment.merged(segments));
        assertThat(fewer.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(4);
    }

    @Test
    void aHostNameWithAnUnderscoreIsOneAsAnyOther() throws Exception {
        final ReduceFixture task = new ReduceFixture(2, localDir);
        final NodeAddress odd = new NodeAddress("rack_1_node_2", 13562);
        for (int map = 0; map < 2; map++) {
            segments.add(TestSegment.random(random, 50, 20, null));
            transport.put(odd, ReduceFixture.map(map, 0).toString(), segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), odd);
        }

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
    }

    /** As an MRAppMaster writes the address of a container whose shuffle port it never learned. */
    @Test
    void anAddressWithoutAPortCostsItsOwnMapOnly() throws Exception {
        final ReduceFixture task = new ReduceFixture(8, localDir);
        serve(task, 2, 50, 20);
        final ReduceFixture odd = new ReduceFixture(9, localDir);
        for (int map = 0; map < 8; map++) {
            odd.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % 2));
        }
        odd.umbilical.add(ReduceFixture.map(8, 0), Status.SUCCEEDED, "http://node_1:-1");
        transport.refuse(ShuffleUrl.parse("http://node_1:-1").address(), Reason.DISCONNECTED);
        segments.add(TestSegment.random(random, 50, 20, null));
        transport.put(ReduceFixture.node(3), ReduceFixture.map(8, 1).toString(), segments.get(8));
        final ReduceShuffle shuffle = odd.shuffle(transport);
        final Thread master =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> odd.reported().isEmpty());
                            odd.event(ReduceFixture.map(8, 0), Status.FAILED);
                            odd.succeeded(ReduceFixture.map(8, 1), ReduceFixture.node(3));
                        });
        master.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));
        assertThat(odd.reported()).containsOnly(ReduceFixture.map(8, 0));
        master.join();
    }

    @Test
    void theFirstCopyOfAMapWins() throws Exception {
        final ReduceFixture task = new ReduceFixture(2, localDir);
        serve(task, 1, 50, 20);
        task.succeeded(ReduceFixture.map(0, 1), ReduceFixture.node(1));

        assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
    }

    @Test
    void anObsoleteAttemptThatIsPartlyFetchedGivesWayToItsRerun() throws Exception {
        final ReduceFixture task = new ReduceFixture(2, localDir).minimalBuffer(WINDOW);
        final TestSegment old = TestSegment.random(random, 300, 100, null);
        transport.put(ReduceFixture.node(0), ReduceFixture.map(0, 0).toString(), old);
        task.succeeded(ReduceFixture.map(0, 0), ReduceFixture.node(0));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread events =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () -> task.count(TaskCounter.SHUFFLED_MAPS) == 0);
                            task.event(ReduceFixture.map(0, 0), Status.OBSOLETE);
                            task.event(ReduceFixture.map(0, 0), Status.FAILED);
                            task.succeeded(ReduceFixture.map(0, 1), ReduceFixture.node(1));
                            task.succeeded(ReduceFixture.map(1, 0), ReduceFixture.node(1));
                        });
        for (int map = 0; map < 2; map++) {
            segments.add(TestSegment.random(random, 200, 100, null));
            transport.put(
                    ReduceFixture.node(1),
                    ReduceFixture.map(map, 1 - map).toString(),
                    segments.get(map));
        }
        events.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(2);
        assertThat(task.count(TaskCounter.REDUCE_SHUFFLE_BYTES)).isEqualTo(partBytes());
        events.join();
    }

    @Test
    void aLostSourceIsReportedAndItsRerunTaken() throws Exception {
        final ReduceFixture task = new ReduceFixture(10, localDir);
        serve(task, 5, 50, 20);
        transport.script(
                (node, segment, offset) ->
                        segment.output().equals(ReduceFixture.map(7, 0).toString())
                                ? Reason.NOT_FOUND
                                : null);
        transport.put(ReduceFixture.node(9), ReduceFixture.map(7, 1).toString(), segments.get(7));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread master =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> task.reported().size() < 3);
                            task.event(ReduceFixture.map(7, 0), Status.FAILED);
                            task.succeeded(ReduceFixture.map(7, 1), ReduceFixture.node(9));
                        });
        master.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.reported()).containsOnly(ReduceFixture.map(7, 0));
        assertThat(task.count(TaskCounter.FAILED_SHUFFLE)).isGreaterThanOrEqualTo(3);
        assertThat(task.count(TaskReports.ERRORS, "IO_ERROR")).isGreaterThanOrEqualTo(3);
        master.join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DISCONNECTED", "UNKNOWN_JOB", "TIMED_OUT"})
    void aNodeThatComesBackIsTriedAgain(final String reason) throws Exception {
        final ReduceFixture task = new ReduceFixture(8, localDir);
        serve(task, 8, 50, 20);
        transport.refuse(ReduceFixture.node(2), Reason.valueOf(reason));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread repair =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () -> task.count(TaskCounter.FAILED_SHUFFLE) < 2);
                            transport.refuse(ReduceFixture.node(2), null);
                        });
        repair.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.reported().contains(ReduceFixture.map(2, 0)))
                .isEqualTo(reason.equals("DISCONNECTED"));
        assertThat(task.count(TaskReports.ERRORS, "CONNECTION")).isGreaterThanOrEqualTo(2);
        repair.join();
    }

    @Test
    void tooManyFailuresEndTheReducerAsInStock() throws Exception {
        final ReduceFixture task = new ReduceFixture(8, localDir);
        serve(task, 1, 50, 20);
        transport.refuse(ReduceFixture.node(0), Reason.DISCONNECTED);
        final ReduceShuffle shuffle = task.shuffle(transport);

        assertThatThrownBy(shuffle::run)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("error in shuffle in")
                .hasStackTraceContaining("Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out.");
        assertThat(transport.isClosed()).isTrue();
    }

    @Test
    void aCorruptWholeSegmentIsFetchedAgain() throws Exception {
        final ReduceFixture task = new ReduceFixture(4, localDir);
        serve(task, 2, 300, 20);
        final String attempt = ReduceFixture.map(2, 0).toString();
        transport.put(ReduceFixture.node(0), attempt, segments.get(2).corrupted(777));
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread repair =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> task.reported().isEmpty());
                            transport.put(ReduceFixture.node(0), attempt, segments.get(2));
                        });
        repair.start();

        assertThat(IteratedRecords.readAll(shuffle.run())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.reported()).containsOnly(ReduceFixture.map(2, 0));
        repair.join();
    }

    @Test
    void aCorruptStreamFailsTheAttemptAndSaysSo() throws Exception {
        transport.withoutChecksums();
        final ReduceFixture task = new ReduceFixture(2, localDir).minimalBuffer(WINDOW);
        serve(task, 1, 300, 100);
        final int last = segments.get(1).bytes().length - 5 - 2;
        transport.put(
                ReduceFixture.node(0),
                ReduceFixture.map(1, 0).toString(),
                segments.get(1).corrupted(last));
        final RawKeyValueIterator iterator = task.shuffle(transport).run();

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Checksum error")
                .hasMessageContaining(ReduceFixture.map(1, 0).toString())
                .hasMessageContaining("node0:13562")
                .hasMessageContaining("fetch failure was reported");
        assertThat(task.reported()).hasSize(3).containsOnly(ReduceFixture.map(1, 0));
        assertThat(task.umbilical.statusUpdates()).isGreaterThanOrEqualTo(2);
        assertThat(transport.isClosed()).isTrue();
    }

    @Test
    void aStreamGoesOnWhereItsSourceBroke() throws Exception {
        final ReduceFixture task = new ReduceFixture(3, localDir).minimalBuffer(WINDOW);
        serve(task, 3, 600, 150);
        final RawKeyValueIterator iterator = task.shuffle(transport).run();
        final List<TestSegment.Entry> read = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            assertThat(iterator.next()).isTrue();
            read.add(IteratedRecords.entry(iterator));
        }
        transport.refuse(ReduceFixture.node(1), Reason.DISCONNECTED);
        final Thread repair =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> task.reported().isEmpty());
                            transport.refuse(ReduceFixture.node(1), null);
                        });
        repair.start();
        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(task.reported()).containsOnly(ReduceFixture.map(1, 0));
        repair.join();
    }

    @Test
    void aStreamThatIsLostForGoodFailsTheAttempt() throws Exception {
        final ReduceFixture task = new ReduceFixture(3, localDir).minimalBuffer(WINDOW);
        task.set(EngineKeys.SHUFFLE_STREAM_RETRY.name(), "400");
        serve(task, 3, 600, 150);
        final RawKeyValueIterator iterator = task.shuffle(transport).run();
        assertThat(iterator.next()).isTrue();
        transport.refuse(ReduceFixture.node(1), Reason.UNKNOWN_JOB);

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Lost map output of " + ReduceFixture.map(1, 0))
                .hasMessageContaining("spillway.shuffle.stream.retry.ms=400");
        assertThat(task.reported()).containsOnly(ReduceFixture.map(1, 0));
    }

    @Test
    void aStreamWhoseLengthsChangeFailsTheAttempt() throws Exception {
        final ReduceFixture task = new ReduceFixture(2, localDir).minimalBuffer(WINDOW);
        serve(task, 1, 600, 150);
        final RawKeyValueIterator iterator = task.shuffle(transport).run();
        transport.put(
                ReduceFixture.node(0),
                ReduceFixture.map(0, 0).toString(),
                TestSegment.random(random, 2000, 150, null));

        assertThatThrownBy(() -> IteratedRecords.readAll(iterator))
                .hasMessageContaining("Wrong length of map output")
                .hasMessageContaining("as before");
        assertThat(task.count(TaskReports.ERRORS, "WRONG_LENGTH")).isPositive();
    }

    @Test
    void anInterruptEndsTheWaitForTheCopyPhase() throws Exception {
        final ReduceFixture task = new ReduceFixture(1, localDir);
        final ReduceShuffle shuffle = task.shuffle(transport);
        final Thread self = Thread.currentThread();
        new Thread(self::interrupt).start();

        assertThatThrownBy(shuffle::run).isInstanceOf(InterruptedException.class);
        assertThat(transport.isClosed()).isTrue();
    }

    /** A job's code may leave the flag set; stock's merge waits for nothing that it ends. */
    @Test
    void anInterruptEndsNoWaitForAStream() throws Exception {
        final ReduceFixture task = new ReduceFixture(2, localDir).minimalBuffer(WINDOW);
        serve(task, 1, 600, 150);
        final RawKeyValueIterator iterator = task.shuffle(transport).run();
        transport.refuse(ReduceFixture.node(0), Reason.BUSY);
        final Thread self = Thread.currentThread();
        new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () -> self.getState() != Thread.State.TIMED_WAITING);
                            self.interrupt();
                            transport.refuse(ReduceFixture.node(0), null);
                        })
                .start();

        assertThat(IteratedRecords.readAll(iterator)).isEqualTo(TestSegment.merged(segments));
        assertThat(Thread.interrupted()).isTrue();
    }
}
