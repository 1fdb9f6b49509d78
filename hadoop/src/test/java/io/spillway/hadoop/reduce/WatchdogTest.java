// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.Setting;
import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.Watchdog;
import io.spillway.engine.reduce.segment.ChunkQueue;
import io.spillway.engine.reduce.thread.StallClock;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who waits for ever fails, within bounded time; who waits for long does not. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WatchdogTest {
    private static final int MAPS = 6;
    private static final int WINDOW = 1024;
    private static final long LIMIT_MILLIS = 600;

    @TempDir Path directory;

    private final MemoryTransport transport = new MemoryTransport(1);
    private final List<TestSegment> segments = new ArrayList<>();

    @AfterEach
    void close() {
        transport.close();
    }

    private ReduceFixture fixture(final long limitMillis) throws IOException {
        return fixture(Long.toString(limitMillis));
    }

    private ReduceFixture fixture(final String limit) throws IOException {
        final ReduceFixture fixture = new ReduceFixture(MAPS, directory);
        fixture.minimalBuffer(WINDOW);
        fixture.set(EngineKeys.SHUFFLE_WATCHDOG.name(), limit);
        fixture.set(ProtocolKeys.SHUFFLE_READ_TIMEOUT.name(), "500");
        fixture.set(ProtocolKeys.SHUFFLE_CONNECT_TIMEOUT.name(), "100");
        for (int map = 0; map < MAPS; map++) {
            segments.add(TestSegment.random(new Random(map), 400, 100, null));
            transport.put(
                    ReduceFixture.node(map % 3),
                    ReduceFixture.map(map, 0).toString(),
                    segments.get(map));
        }
        return fixture;
    }

    private static void announce(final ReduceFixture fixture, final int from, final int to) {
        for (int map = from; map < to; map++) {
            fixture.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % 3));
        }
    }

    // ---- waits for ever ------------------------------------------------------------------------

    @Test
    void failsWhenTheAnswerToAHeadIsLost() throws Exception {
        final ReduceFixture fixture = fixture(LIMIT_MILLIS);
        announce(fixture, 0, MAPS);
        transport.lose((node, segment, offset) -> isMap(segment, 3));
        requireDeadWait(fixture, ReduceFixture.map(3, 0).toString());
    }

    /** Others still run, for hours maybe: they bring nothing of this one. */
    @Test
    void failsWhenAnAnswerIsLostAlthoughMapsStillRun() throws Exception {
        final ReduceFixture fixture = fixture(LIMIT_MILLIS);
        announce(fixture, 0, MAPS - 1);
        transport.lose((node, segment, offset) -> isMap(segment, 3));
        requireDeadWait(fixture, ReduceFixture.map(3, 0).toString());
    }

    @Test
    void failsWhenAnAnswerIsLostInTheMiddleOfTheMerge() throws Exception {
        final ReduceFixture fixture = fixture(LIMIT_MILLIS);
        announce(fixture, 0, MAPS);
        transport.lose((node, segment, offset) -> isMap(segment, 4) && offset > 5 * WINDOW);
        final LoggedText log = new LoggedText();
        final Logger logger = Logger.getLogger(Watchdog.class);
        logger.addAppender(log);
        try {
            requireDeadWait(fixture, ReduceFixture.map(4, 0).toString());
        } finally {
            logger.removeAppender(log);
        }
        assertThat(log.text())
                .contains("phase=merging maps=" + MAPS + " copied=" + MAPS)
                .contains("pool: ")
                .containsPattern("fetch " + ReduceFixture.map(4, 0) + " at .* awaited")
                .containsPattern("node node1:13562 state=OPEN inFlight=[1-9]")
                .containsPattern("thread spillway-shuffle-0 RUNNABLE\n    at ")
                .contains(ChunkQueue.class.getName());
    }

    /** What is logged while it listens. */
    private static final class LoggedText extends AppenderSkeleton {
        private final StringBuilder text = new StringBuilder();

        @Override
        protected synchronized void append(final LoggingEvent event) {
            text.append(event.getRenderedMessage());
        }

        @Override
        public void close() {
            // It holds nothing.
        }

        synchronized String text() {
            return text.toString();
        }

        @Override
        public boolean requiresLayout() {
            return false;
        }
    }

    private static boolean isMap(final SegmentId segment, final int map) {
        return segment.output().equals(ReduceFixture.map(map, 0).toString());
    }

    private void requireDeadWait(final ReduceFixture fixture, final String what) {
        assertThatThrownBy(() -> fixture.readAll(transport))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("waits in vain")
                .hasStackTraceContaining(what)
                .hasStackTraceContaining("spillway.shuffle.watchdog.ms=" + LIMIT_MILLIS);
        assertThat(fixture.reported()).isEmpty();
    }

    @Test
    void failsWhenTheLoopHangs() throws Exception {
        final ReduceFixture fixture = fixture(LIMIT_MILLIS);
        announce(fixture, 0, MAPS);
        final CountDownLatch released = new CountDownLatch(1);
        assertThatThrownBy(() -> fixture.readAll(new HangingTransport(transport, released)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The shuffle's loop does not run");
        released.countDown();
    }

    @Test
    void strikesBeforeTheTaskTimesOut() throws Exception {
        final ReduceFixture fixture = fixture(3_600_000);
        fixture.set(MRJobConfig.TASK_TIMEOUT, Long.toString(4 * LIMIT_MILLIS));
        announce(fixture, 0, MAPS);
        transport.lose((node, segment, offset) -> isMap(segment, 3));
        requireDeadWait(fixture, ReduceFixture.map(3, 0).toString());
    }

    /** Without the watchdog it is mapreduce.task.timeout that ends the wait. */
    @Test
    void reportsNoProgressWhileNothingCanEndTheWait() throws Exception {
        final ReduceFixture fixture = fixture(Setting.NONE);
        final CountingReporter reporter = new CountingReporter(fixture.reporter);
        fixture.reporter = reporter;
        announce(fixture, 0, MAPS);
        transport.lose((node, segment, offset) -> isMap(segment, 4) && offset > 5 * WINDOW);
        final ReduceShuffle shuffle = fixture.shuffle(transport);
        final Thread task =
                new Thread(
                        () -> {
                            try {
                                IteratedRecords.readAll(shuffle.run());
                            } catch (final IOException | InterruptedException e) {
                                reporter.end.countDown();
                            }
                        });
        task.start();
        // Its looks are 5 s apart: the second one finds the wait dead for 5 s.
        long calls = -1;
        while (calls != reporter.calls.get()) {
            calls = reporter.calls.get();
            Thread.sleep(4 * StallClock.HEARTBEAT_MILLIS);
        }
        assertThat(task.isAlive()).isTrue();
        shuffle.close();
        assertThat(reporter.end.await(30, TimeUnit.SECONDS)).isTrue();
        task.join();
    }

    // ---- waits for long ------------------------------------------------------------------------

    @Test
    void leavesMapsTheirTime() throws Exception {
        final ReduceFixture fixture = fixture(LIMIT_MILLIS);
        announce(fixture, 0, MAPS - 1);
        final Thread lateMap =
                new Thread(
                        () -> {
                            pause(4 * LIMIT_MILLIS);
                            announce(fixture, MAPS - 1, MAPS);
                        });
        lateMap.start();
        assertThat(fixture.readAll(transport)).isEqualTo(TestSegment.merged(segments));
        lateMap.join();
    }

    @Test
    void leavesReduceItsTime() throws Exception {
        final ReduceFixture fixture = fixture(LIMIT_MILLIS);
        announce(fixture, 0, MAPS);
        final ReduceShuffle shuffle = fixture.shuffle(transport);
        final RawKeyValueIterator records = shuffle.run();
        for (int i = 0; i < 10; i++) {
            assertThat(records.next()).isTrue();
        }
        pause(4 * LIMIT_MILLIS);
        int count = 10;
        while (records.next()) {
            count++;
        }
        assertThat(count).isEqualTo(TestSegment.merged(segments).size());
        shuffle.close();
    }

    /** The node's rest is longer than the watchdog's patience. */
    @Test
    void leavesNodesTheirRest() throws Exception {
        final ReduceFixture fixture = fixture(LIMIT_MILLIS);
        fixture.conf.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, 4 * LIMIT_MILLIS);
        announce(fixture, 0, MAPS);
        final AtomicInteger failures = new AtomicInteger(2);
        transport.script(
                (node, segment, offset) ->
                        node.equals(ReduceFixture.node(1)) && failures.getAndDecrement() > 0
                                ? Reason.DISCONNECTED
                                : null);
        assertThat(fixture.readAll(transport)).isEqualTo(TestSegment.merged(segments));
    }

    /** A stream's source is gone for longer than the watchdog's patience, and comes back. */
    @Test
    void leavesALostSourceTheTimeToComeBack() throws Exception {
        final ReduceFixture fixture = fixture(LIMIT_MILLIS);
        announce(fixture, 0, MAPS);
        final ReduceShuffle shuffle = fixture.shuffle(transport);
        final RawKeyValueIterator records = shuffle.run();
        transport.refuse(ReduceFixture.node(2), Reason.DISCONNECTED);
        final Thread repair =
                new Thread(
                        () -> {
                            pause(5 * LIMIT_MILLIS);
                            transport.refuse(ReduceFixture.node(2), null);
                        });
        repair.start();
        assertThat(IteratedRecords.readAll(records)).isEqualTo(TestSegment.merged(segments));
        repair.join();
        shuffle.close();
    }

    private static void pause(final long millis) {
        try {
            Thread.sleep(millis);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Holds the thread that fetches. */
    private record HangingTransport(Transport transport, CountDownLatch released)
            implements Transport {
        @Override
        public String name() {
            return transport.name();
        }

        @Override
        public Channel open(final NodeAddress address, final JobCredentials credentials)
                throws FetchException {
            return new HangingChannel(transport.open(address, credentials), released);
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private record HangingChannel(Channel channel, CountDownLatch released) implements Channel {
        @Override
        public NodeAddress address() {
            return channel.address();
        }

        @Override
        public long epoch() {
            return channel.epoch();
        }

        @Override
        public void fetch(
                final SegmentId segment,
                final long offset,
                final ByteBuffer destination,
                final FetchListener listener) {
            ReduceFixture.awaitWhile(() -> released.getCount() > 0);
            channel.fetch(segment, offset, destination, listener);
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() {
            channel.close();
        }
    }

    /** Counts the calls that tell Hadoop that the task lives. */
    private static final class CountingReporter implements Reporter {
        private final AtomicLong calls = new AtomicLong();
        private final CountDownLatch end = new CountDownLatch(1);
        private final Reporter reporter;

        CountingReporter(final Reporter reporter) {
            this.reporter = reporter;
        }

        @Override
        public void progress() {
            calls.incrementAndGet();
        }

        @Override
        public void setStatus(final String text) {
            reporter.setStatus(text);
        }

        @Override
        public Counters.Counter getCounter(final Enum<?> name) {
            return reporter.getCounter(name);
        }

        @Override
        public Counters.Counter getCounter(final String group, final String name) {
            return reporter.getCounter(group, name);
        }

        @Override
        public void incrCounter(final Enum<?> key, final long amount) {
            reporter.incrCounter(key, amount);
        }

        @Override
        public void incrCounter(final String group, final String counter, final long amount) {
            reporter.incrCounter(group, counter, amount);
        }

        @Override
        public InputSplit getInputSplit() {
            return reporter.getInputSplit();
        }

        @Override
        public float getProgress() {
            return reporter.getProgress();
        }
    }
}
