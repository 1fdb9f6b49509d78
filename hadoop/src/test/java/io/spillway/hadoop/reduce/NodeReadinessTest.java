// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.recovery.NodePatience;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that answer and do not serve, or not yet; and connections that are given back. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeReadinessTest {
    private static final int WINDOW = 1024;
    private static final String CONNECTIONS = ProtocolKeys.NODE_MAX_CONNECTIONS.name();

    /** Behind a {@link Forwarder}, a node has another address than the one that is dialled. */
    private static final String ALIASES = ProtocolKeys.NODE_ALIASES.name();

    private static final NodeAddress REFUSING = ReduceFixture.node(3);
    private static final NodeAddress SERVING = ReduceFixture.node(4);

    @TempDir Path localDir;
    @TempDir Path files;

    private final Random random = new Random(11);
    private final List<TestSegment> segments = new ArrayList<>();

    private void put(final FileNode node, final int maps, final int records) throws IOException {
        for (int map = 0; map < maps; map++) {
            segments.add(TestSegment.random(random, records, 100, null));
            node.put(files, ReduceFixture.map(map, 0).toString(), segments.get(map));
        }
    }

    private ReduceFixture task(final int maps, final NodeAddress node) {
        final ReduceFixture task = new ReduceFixture(maps, localDir);
        task.set(EngineKeys.SHUFFLE_IDLE.name(), "50");
        for (int map = 0; map < maps; map++) {
            task.succeeded(ReduceFixture.map(map, 0), node);
        }
        return task;
    }

    private static void assertNothingFailed(final ReduceFixture task) {
        assertThat(task.reported()).isEmpty();
        assertThat(task.count(TaskCounter.FAILED_SHUFFLE)).isZero();
    }

    private static long figure(final ReduceFixture task, final ShuffleCounter figure) {
        return task.figure(figure);
    }

    /** Its maps have left their outputs in runs: over stock HTTP there is nothing to be had. */
    @Test
    void aNodeThatAnswersHttpBeforeItSpeaksSpillwayIsAskedAgain() throws Exception {
        try (StockServer starting = new StockServer(ReduceFixture.SECRET);
                Forwarder port = new Forwarder(starting.address());
                FileNode node =
                        new FileNode(List.of(), Map.of(ALIASES, port.address().toString()));
                TcpTransport transport = new TcpTransport(Map.<String, String>of()::get)) {
            starting.hasNoFiles = true;
            put(node, 6, 50);
            final ReduceFixture task = task(6, port.address());
            final Thread start =
                    new Thread(
                            () -> {
                                ReduceFixture.awaitWhile(() -> starting.failed.get() < 3);
                                try {
                                    port.leadTo(node.address());
                                } catch (final IOException e) {
                                    starting.hasNoFiles = false;
                                }
                            });
            start.start();

            assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

            start.join();
            assertThat(starting.hasNoFiles).isTrue();
            assertNothingFailed(task);
        }
    }

    /** Its failures count in the end: nothing else has the map run again. */
    @Test
    void aStockNodeThatHasLostItsOutputsIsReportedInTheEnd() throws Exception {
        try (StockServer node = new StockServer(ReduceFixture.SECRET);
                FileNode other = new FileNode();
                TcpTransport transport = new TcpTransport(Map.<String, String>of()::get)) {
            node.hasNoFiles = true;
            put(other, 8, 50);
            other.put(files, ReduceFixture.map(0, 1).toString(), segments.get(0));
            final ReduceFixture task = new ReduceFixture(8, localDir);
            task.succeeded(ReduceFixture.map(0, 0), node.address());
            for (int map = 1; map < 8; map++) {
                task.succeeded(ReduceFixture.map(map, 0), other.address());
            }
            final ReduceShuffle shuffle = task.shuffle(transport);
            final Thread master =
                    new Thread(
                            () -> {
                                ReduceFixture.awaitWhile(
                                        () -> task.count(TaskCounter.FAILED_SHUFFLE) == 0);
                                task.succeeded(ReduceFixture.map(0, 1), other.address());
                            });
            master.start();

            assertThat(IteratedRecords.readAll(shuffle.run()))
                    .isEqualTo(TestSegment.merged(segments));
            master.join();
        }
    }

    /** It may have been updated since. */
    @Test
    void thatANodeAnswersStockHttpOnlyIsNotKnownForEver() throws Exception {
        try (StockServer stock = new StockServer(ReduceFixture.SECRET);
                MemoryTransport transport = new MemoryTransport(4)) {
            transport.refuse(stock.address(), Reason.NOT_SPILLWAY);
            final ReduceFixture task = new ReduceFixture(2, localDir);
            for (int map = 0; map < 2; map++) {
                final String attempt = ReduceFixture.map(map, 0).toString();
                segments.add(TestSegment.random(random, 50, 100, null));
                stock.segments.put(attempt, segments.get(map));
                transport.put(stock.address(), attempt, segments.get(map));
            }
            task.succeeded(ReduceFixture.map(0, 0), stock.address());
            final ReduceShuffle shuffle = task.shuffle(transport);
            final Thread update =
                    new Thread(
                            () -> {
                                ReduceFixture.awaitWhile(
                                        () -> task.count(TaskCounter.SHUFFLED_MAPS) == 0);
                                transport.refuse(stock.address(), null);
                                final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(6);
                                ReduceFixture.awaitWhile(() -> System.nanoTime() < end);
                                task.succeeded(ReduceFixture.map(1, 0), stock.address());
                            });
            update.start();

            assertThat(IteratedRecords.readAll(shuffle.run()))
                    .isEqualTo(TestSegment.merged(segments));

            update.join();
            assertThat(figure(task, ShuffleCounter.FETCH_HTTP_BYTES))
                    .isEqualTo(segments.get(0).bytes().length);
            assertThat(figure(task, ShuffleCounter.FETCH_SPILLWAY_BYTES))
                    .isEqualTo(segments.get(1).bytes().length);
        }
    }

    @Test
    void aConnectionIsGivenBackWhenAllIsHere() throws Exception {
        try (FileNode node = new FileNode();
                TcpTransport transport = new TcpTransport(Map.<String, String>of()::get)) {
            put(node, 3, 50);
            final ReduceFixture task = task(3, node.address());
            final ReduceShuffle shuffle = task.shuffle(transport);
            final RawKeyValueIterator iterator = shuffle.run();
            assertThat(node.server.stats().accepted()).isOne();

            ReduceFixture.awaitWhile(() -> node.server.connectionCount() > 0);

            assertThat(IteratedRecords.readAll(iterator)).isEqualTo(TestSegment.merged(segments));
            assertThat(node.server.stats().accepted()).isOne();
        }
    }

    @Test
    void aMergeGivesConnectionsBackWhileItRestsAndOpensThemAgain() throws Exception {
        try (FileNode node = new FileNode();
                TcpTransport transport = new TcpTransport(Map.<String, String>of()::get)) {
            put(node, 4, 2000);
            final ReduceFixture task = task(4, node.address()).minimalBuffer(WINDOW);
            final ReduceShuffle shuffle = task.shuffle(transport);
            final RawKeyValueIterator iterator = shuffle.run();
            final List<TestSegment.Entry> read = new ArrayList<>();
            for (int pause = 0; pause < 4; pause++) {
                ReduceFixture.awaitWhile(() -> node.server.connectionCount() > 0);
                for (int i = 0; i < 500 && iterator.next(); i++) {
                    read.add(IteratedRecords.entry(iterator));
                }
            }

            read.addAll(IteratedRecords.readAll(iterator));

            assertThat(read).isEqualTo(TestSegment.merged(segments));
            assertThat(node.server.stats().accepted()).isGreaterThanOrEqualTo(4);
            assertNothingFailed(task);
        }
    }

    /** More reducers than the node serves at a time: they take turns, and no map is reported. */
    @Test
    void reducersTakeTurnsAtANodeThatIsFull() throws Exception {
        final ExecutorService reducers = Executors.newFixedThreadPool(5);
        try (FileNode node = new FileNode(List.of(), Map.of(CONNECTIONS, "2"))) {
            put(node, 4, 400);
            final List<TestSegment.Entry> expected = TestSegment.merged(segments);
            final List<ReduceFixture> tasks = new ArrayList<>();
            final List<Future<List<TestSegment.Entry>>> outputs = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                final ReduceFixture task = task(4, node.address()).minimalBuffer(WINDOW);
                tasks.add(task);
                outputs.add(reducers.submit(() -> readSlowly(task)));
            }
            for (final Future<List<TestSegment.Entry>> output : outputs) {
                assertThat(output.get()).isEqualTo(expected);
            }
            tasks.forEach(NodeReadinessTest::assertNothingFailed);
            assertThat(node.server.stats().refused()).isPositive();
        } finally {
            reducers.shutdownNow();
        }
    }

    private static List<TestSegment.Entry> readSlowly(final ReduceFixture task) throws Exception {
        try (TcpTransport transport = new TcpTransport(Map.<String, String>of()::get)) {
            final ReduceShuffle shuffle = task.shuffle(transport);
            final RawKeyValueIterator iterator = shuffle.run();
            final List<TestSegment.Entry> read = new ArrayList<>();
            while (iterator.next()) {
                read.add(IteratedRecords.entry(iterator));
                if (read.size() % 400 == 0) {
                    Thread.sleep(300);
                }
            }
            shuffle.close();
            return read;
        }
    }

    /** UNKNOWN_JOB: a node that was started again learns of its jobs a moment later. */
    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"BUSY", "UNKNOWN_JOB"})
    void aNodeThatRefusesIsWaitedForWithoutAReport(final Reason reason) throws Exception {
        final MemoryTransport transport = new MemoryTransport(4);
        final NodeAddress node = ReduceFixture.node(2);
        final ReduceFixture task = task(3, node).minimalBuffer(WINDOW);
        for (int map = 0; map < 3; map++) {
            segments.add(TestSegment.random(random, 1000, 100, null));
            transport.put(node, ReduceFixture.map(map, 0).toString(), segments.get(map));
        }
        transport.refuse(node, reason);
        final Thread relief =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> transport.refusals(node) < 4);
                            transport.refuse(node, null);
                        });
        relief.start();
        final ReduceShuffle shuffle = task.shuffle(transport);
        final RawKeyValueIterator iterator = shuffle.run();
        relief.join();
        final int before = transport.refusals(node);
        final List<TestSegment.Entry> read = new ArrayList<>();
        for (int i = 0; i < 100 && iterator.next(); i++) {
            read.add(IteratedRecords.entry(iterator));
        }
        transport.refuse(node, reason);
        final Thread again =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(() -> transport.refusals(node) < before + 4);
                            transport.refuse(node, null);
                        });
        again.start();

        read.addAll(IteratedRecords.readAll(iterator));

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertNothingFailed(task);
        again.join();
    }

    /** Map 0 lies on the node that refuses. */
    private ReduceFixture mapsOfTwoNodes(final MemoryTransport transport) throws IOException {
        final ReduceFixture task = new ReduceFixture(8, localDir);
        for (int map = 0; map < 8; map++) {
            final NodeAddress node = map == 0 ? REFUSING : SERVING;
            segments.add(TestSegment.random(random, 50, 100, null));
            transport.put(node, ReduceFixture.map(map, 0).toString(), segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), node);
        }
        return task;
    }

    private Thread runsAgainWhenItFails(final ReduceFixture task, final MemoryTransport transport) {
        transport.put(SERVING, ReduceFixture.map(0, 1).toString(), segments.get(0));
        final Thread master =
                new Thread(
                        () -> {
                            ReduceFixture.awaitWhile(
                                    () -> task.count(TaskCounter.FAILED_SHUFFLE) == 0);
                            task.succeeded(ReduceFixture.map(0, 1), SERVING);
                        });
        master.start();
        return master;
    }

    /** It takes the connection, and does not serve the job. */
    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"BUSY", "UNKNOWN_JOB"})
    void aNodeThatRefusesRequestsIsWaitedForWithoutAReport(final Reason reason) throws Exception {
        final AtomicInteger answers = new AtomicInteger();
        try (MemoryTransport transport = new MemoryTransport(4)) {
            final ReduceFixture task = mapsOfTwoNodes(transport);
            transport.script(
                    (node, segment, offset) ->
                            node.equals(REFUSING) && answers.incrementAndGet() <= 4
                                    ? reason
                                    : null);

            assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));
            assertThat(answers.get()).isGreaterThan(4);
            assertNothingFailed(task);
        }
    }

    /** Nothing else has the map run again; whether it is refused at the door or at each request. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatNeverLearnsOfTheJobIsReportedInTheEnd(final boolean atTheDoor) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(4)) {
            final ReduceFixture task = mapsOfTwoNodes(transport);
            if (atTheDoor) {
                transport.refuse(REFUSING, Reason.UNKNOWN_JOB);
            } else {
                transport.script(
                        (node, segment, offset) ->
                                node.equals(REFUSING) ? Reason.UNKNOWN_JOB : null);
            }
            final long start = System.nanoTime();
            final Thread master = runsAgainWhenItFails(task, transport);

            assertThat(task.readAll(transport)).isEqualTo(TestSegment.merged(segments));

            master.join();
            assertThat(System.nanoTime() - start)
                    .as("patience")
                    .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(NodePatience.START_MILLIS));
        }
    }
}
