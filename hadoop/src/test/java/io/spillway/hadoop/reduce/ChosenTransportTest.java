// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.TestSegment;
import io.spillway.hadoop.job.ReducerTransport;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A reducer whose nodes offer a second transport, real sockets under another name: its records and
 * what is reported to the MRAppMaster must not depend on what becomes of it.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChosenTransportTest {
    private static final int MAPS = 6;

    @TempDir private Path localDir;

    private final Random random = new Random(11);
    private final List<TestSegment> segments = new ArrayList<>();
    private ReduceFixture task;
    private FileNode second;
    private FileNode node;

    /** Makes clients only; the servers are the test's. */
    private static final class SecondProvider implements TransportProvider {
        @Override
        public String name() {
            return "ucx";
        }

        @Override
        public Optional<ShuffleCounter> fetched() {
            return Optional.of(ShuffleCounter.FETCH_UCX_BYTES);
        }

        @Override
        public Optional<String> obstacle(final Function<String, String> settings) {
            return Optional.empty();
        }

        @Override
        public Transport newTransport(final Function<String, String> settings) {
            return new TcpTransport(settings);
        }

        @Override
        public SegmentServer newServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> settings,
                final long epoch)
                throws IOException {
            throw new IOException("not in this test");
        }
    }

    @BeforeEach
    void start() throws IOException {
        task = new ReduceFixture(MAPS, localDir).minimalBuffer(1024);
        task.set("spillway.transport", "ucx");
        second = new FileNode();
        node = new FileNode(List.of(new TransportOffer("ucx", second.address())));
        for (int map = 0; map < MAPS; map++) {
            segments.add(TestSegment.random(random, 2000, 100, null));
            final String attempt = ReduceFixture.map(map, 0).toString();
            node.put(localDir, attempt, segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), node.address());
        }
    }

    private void secondHasAll() throws IOException {
        final Path folder = Files.createDirectories(localDir.resolve("second"));
        for (int map = 0; map < MAPS; map++) {
            second.put(folder, ReduceFixture.map(map, 0).toString(), segments.get(map));
        }
    }

    @AfterEach
    void stop() {
        node.close();
        second.close();
    }

    private Transport transport() {
        return transportOfAttempt(0);
    }

    private Transport transportOfAttempt(final int attempt) {
        return ReducerTransport.of(
                new TaskAttemptID(task.reduceId.getTaskID(), attempt),
                Optional.empty(),
                List.of(new SecondProvider()),
                Optional.empty(),
                task.conf::getTrimmed);
    }

    private long figure(final ShuffleCounter figure) {
        return task.figure(figure);
    }

    private void assertNothingWasBlamedOnMaps() {
        assertThat(task.count(TaskCounter.FAILED_SHUFFLE)).isZero();
        assertThat(task.reported()).isEmpty();
    }

    /** Native code may have ended the first one's JVM. */
    @Test
    void onlyATasksFirstAttemptUsesTheOtherTransport() throws Exception {
        secondHasAll();

        assertThat(task.readAll(transportOfAttempt(1))).isEqualTo(TestSegment.merged(segments));
        assertThat(figure(ShuffleCounter.FETCH_UCX_BYTES)).isZero();
        assertThat(figure(ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
    }

    @Test
    void mergesWhatComesOverTheOtherTransport() throws Exception {
        secondHasAll();

        assertThat(task.readAll(transport())).isEqualTo(TestSegment.merged(segments));
        assertNothingWasBlamedOnMaps();
        assertThat(figure(ShuffleCounter.FETCH_UCX_BYTES))
                .isPositive()
                .isEqualTo(figure(ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertThat(figure(ShuffleCounter.TRANSPORT_FALLBACKS)).isZero();
    }

    @Test
    void goesOnOverTcpWhenTheOtherTransportDiesWhileMerging() throws Exception {
        secondHasAll();
        final ReduceShuffle shuffle = task.shuffle(transport());
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            assertThat(iterator.next()).isTrue();
            read.add(IteratedRecords.entry(iterator));
        }
        second.close();
        read.addAll(IteratedRecords.readAll(iterator));
        shuffle.close();

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertNothingWasBlamedOnMaps();
        assertThat(figure(ShuffleCounter.FETCH_UCX_BYTES))
                .isPositive()
                .isLessThan(figure(ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertThat(figure(ShuffleCounter.TRANSPORT_FALLBACKS)).isPositive();
    }

    @Test
    void aNodeProcessThatLacksTheMapOutputsIsNoReasonToRunMapsAgain() throws Exception {
        assertThat(task.readAll(transport())).isEqualTo(TestSegment.merged(segments));
        assertNothingWasBlamedOnMaps();
        assertThat(figure(ShuffleCounter.FETCH_UCX_BYTES)).isZero();
        assertThat(figure(ShuffleCounter.TRANSPORT_FALLBACKS)).isEqualTo(1);
    }

    @Test
    void aNodeProcessThatIsGoneCostsNothingButALine() throws Exception {
        second.close();

        assertThat(task.readAll(transport())).isEqualTo(TestSegment.merged(segments));
        assertNothingWasBlamedOnMaps();
        assertThat(figure(ShuffleCounter.TRANSPORT_FALLBACKS)).isEqualTo(1);
    }
}
