// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static io.spillway.hadoop.handler.ShuffleServiceFixture.ATTEMPT;
import static io.spillway.hadoop.handler.ShuffleServiceFixture.conf;
import static io.spillway.hadoop.handler.ShuffleServiceFixture.credentials;
import static io.spillway.transport.FetchRecorder.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.hadoop.SpillwayShuffleHandler;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.version.Release;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class SpillwayShuffleHandlerTest {
    private static final SegmentId SEGMENT = new SegmentId(ATTEMPT, 1);

    private final TcpTransport transport =
            new TcpTransport(Map.of("spillway.shuffle.connect.timeout.ms", "60000")::get);

    @TempDir private Path localDir;

    @AfterEach
    void close() {
        transport.close();
    }

    private ShuffleServiceFixture start(final Configuration conf) throws IOException {
        final SpillwayShuffleHandler handler = new SpillwayShuffleHandler();
        final Configuration ofNodeManager = new Configuration(conf);
        ofNodeManager.set("yarn.nodemanager.local-dirs", localDir.toString());
        handler.setAuxiliaryLocalPathHandler(new LocalDirsPathHandler(ofNodeManager));
        final ShuffleServiceFixture service = new ShuffleServiceFixture(handler, conf, localDir);
        service.initializeApplication();
        return service;
    }

    private Reason reasonOfOpen(final ShuffleServiceFixture service) throws IOException {
        return catchThrowableOfType(
                        FetchException.class,
                        () -> transport.open(service.address(), credentials()).close())
                .reason();
    }

    private void assertServesSpillway(final ShuffleServiceFixture service) throws Exception {
        try (Channel channel = transport.open(service.address(), credentials())) {
            for (int partition = 0; partition < 3; partition++) {
                final byte[] expected = service.segment(partition);
                final FetchRecorder fetch =
                        fetch(channel, new SegmentId(ATTEMPT, partition), 0, 300_000);
                assertThat(fetch.bytes()).isEqualTo(expected);
                assertThat(fetch.reply().partLength()).isEqualTo(expected.length);
                assertThat(fetch.reply().rawLength()).isEqualTo(expected.length + 1);
            }
        }
    }

    private static void assertServesHttp(final ShuffleServiceFixture service) throws IOException {
        for (int partition = 0; partition < 3; partition++) {
            assertThat(service.fetchOverHttp(partition)).isEqualTo(service.segment(partition));
        }
    }

    @Test
    void servesBothProtocolsOnOnePort() throws Exception {
        try (ShuffleServiceFixture service = start(conf())) {
            assertServesHttp(service);
            assertServesSpillway(service);
            assertServesHttp(service);
        }
    }

    @Test
    void theLogNamesTheRelease() throws Exception {
        try (LoggedLines log = new LoggedLines("io.spillway.hadoop.handler");
                ShuffleServiceFixture service = start(conf())) {
            assertThat(service.address()).isNotNull();
            assertThat(log.messages())
                    .contains(
                            "Spillway "
                                    + Release.VERSION
                                    + " serves its protocol beside stock HTTP");
        }
    }

    @Test
    void servesBothWithoutThePathHandlerOfTheNodeManager() throws Exception {
        final SpillwayShuffleHandler handler = new SpillwayShuffleHandler();
        try (ShuffleServiceFixture service = new ShuffleServiceFixture(handler, conf(), localDir)) {
            service.initializeApplication();
            assertServesHttp(service);
            assertServesSpillway(service);
        }
    }

    @Test
    void knowsItsJobsAgainAfterARestart(@TempDir final Path recovery) throws Exception {
        final org.apache.hadoop.fs.Path store = new org.apache.hadoop.fs.Path(recovery.toString());
        final SpillwayShuffleHandler before = new SpillwayShuffleHandler();
        before.setRecoveryPath(store);
        try (ShuffleServiceFixture service = new ShuffleServiceFixture(before, conf(), localDir)) {
            service.initializeApplication();
            assertServesSpillway(service);
        }
        final SpillwayShuffleHandler after = new SpillwayShuffleHandler();
        after.setRecoveryPath(store);
        try (ShuffleServiceFixture service = new ShuffleServiceFixture(after, conf(), localDir)) {
            assertServesSpillway(service);
            assertServesHttp(service);
        }
    }

    @Test
    void knowsAJobFromItsStartToItsEnd() throws Exception {
        final SpillwayShuffleHandler handler = new SpillwayShuffleHandler();
        try (ShuffleServiceFixture service = new ShuffleServiceFixture(handler, conf(), localDir)) {
            assertThat(reasonOfOpen(service)).isEqualTo(Reason.UNKNOWN_JOB);
            service.initializeApplication();
            service.initializeApplication();
            final Channel channel = transport.open(service.address(), credentials());
            assertThat(fetch(channel, SEGMENT, 0, 10).bytes()).hasSize(10);
            service.stopApplication();
            assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                    .isIn(Reason.DISCONNECTED, Reason.UNKNOWN_JOB);
            assertThat(reasonOfOpen(service)).isEqualTo(Reason.UNKNOWN_JOB);
        }
    }

    @Test
    void readsTheOutputOfAMapAheadWhenItsContainerHasEnded() throws Exception {
        final String later = "attempt_1700000000000_0007_m_000001_0";
        final SpillwayShuffleHandler handler = new SpillwayShuffleHandler();
        try (ShuffleServiceFixture service = new ShuffleServiceFixture(handler, conf(), localDir)) {
            service.initializeApplication();
            assertThat(metric(service, "CacheReadAheadBytesTotal")).isZero();
            try (Channel channel = transport.open(service.address(), credentials())) {
                assertThat(fetch(channel, SEGMENT, 0, 200_000).bytes()).hasSize(200_000);
                assertThat(metric(service, "CacheMissesTotal")).isOne();
                awaitMetric(service, "CacheReadAheadBytesTotal", 200_016);
                service.endMap(localDir, later);
                awaitMetric(service, "CacheReadAheadBytesTotal", 2 * 200_016);
                assertThat(fetch(channel, new SegmentId(later, 1), 0, 200_000).bytes())
                        .isEqualTo(service.segment(1));
                assertThat(metric(service, "CacheHitsTotal")).isOne();
            }
            service.stopApplication();
            awaitMetric(service, "CacheBytes", 0);
        }
    }

    @Test
    void readsNothingAheadWhereNeitherNodeNorJobWantsIt() throws Exception {
        final Configuration without = conf();
        without.set("spillway.node.prefetch.bytes", "0");
        try (ShuffleServiceFixture service = start(without)) {
            assertServesSpillway(service);
            service.endMap(localDir, ATTEMPT);
            assertServesSpillway(service);
            assertThat(
                            metric(service, "CacheMissesTotal")
                                    + metric(service, "CacheHitsTotal")
                                    + metric(service, "CacheReadAheadBytesTotal"))
                    .isZero();
        }
        try (ShuffleServiceFixture service = start(conf());
                TcpTransport reserved =
                        new TcpTransport(Map.of("spillway.shuffle.prefetch", "false")::get);
                Channel channel = reserved.open(service.address(), credentials())) {
            for (int i = 0; i < 3; i++) {
                assertThat(fetch(channel, SEGMENT, 1000L * i, 1000).bytes()).hasSize(1000);
                service.endMap(localDir, ATTEMPT);
            }
            assertThat(
                            metric(service, "CacheMissesTotal")
                                    + metric(service, "CacheHitsTotal")
                                    + metric(service, "CacheReadAheadBytesTotal"))
                    .isZero();
        }
    }

    private static void awaitMetric(
            final ShuffleServiceFixture service, final String name, final long value)
            throws InterruptedException {
        for (int i = 0; i < 3000 && metric(service, name) != value; i++) {
            Thread.sleep(10);
        }
        assertThat(metric(service, name)).as(name).isEqualTo(value);
    }

    private static long metric(final ShuffleServiceFixture service, final String name) {
        return PublishedMetrics.of(service.metricsSource()).value(name);
    }

    /** Reducers ask a NodeManager that starts again as soon as its port is open. */
    @Test
    void isNeverTakenForAStockHandlerWhileItStarts() throws Exception {
        final NodeAddress address = new NodeAddress("127.0.0.1", freePort());
        final AtomicBoolean over = new AtomicBoolean();
        final ExecutorService reducers = Executors.newFixedThreadPool(3);
        try {
            final List<Future<Set<Reason>>> seen = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                seen.add(reducers.submit(() -> reasonsUntil(over, address)));
            }
            for (int round = 0; round < 5; round++) {
                final Configuration conf = conf();
                conf.setInt(ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY, address.port());
                try (ShuffleServiceFixture service = start(conf)) {
                    assertThat(service.address()).isEqualTo(address);
                    assertServesSpillway(service);
                }
            }
            over.set(true);
            for (final Future<Set<Reason>> reasons : seen) {
                assertThat(reasons.get())
                        .contains(Reason.DISCONNECTED)
                        .doesNotContain(Reason.NOT_SPILLWAY);
            }
        } finally {
            over.set(true);
            reducers.shutdownNow();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Set<Reason> reasonsUntil(final AtomicBoolean over, final NodeAddress address) {
        final Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        while (!over.get()) {
            try {
                transport.open(address, credentials()).close();
            } catch (final FetchException e) {
                reasons.add(e.reason());
            }
        }
        return reasons;
    }

    @Test
    void survivesGarbage() throws Exception {
        final Random random = new Random(5);
        try (ShuffleServiceFixture service = start(conf())) {
            for (int i = 0; i < 100; i++) {
                final byte[] garbage = new byte[1 + random.nextInt(2000)];
                random.nextBytes(garbage);
                final byte[] magic = "SPWY".getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(magic, 0, garbage, 0, Math.min(garbage.length, i % 5));
                try (Socket socket =
                        new Socket(InetAddress.getLoopbackAddress(), service.address().port())) {
                    socket.getOutputStream().write(garbage);
                    socket.getOutputStream().flush();
                }
            }
            assertServesSpillway(service);
            assertServesHttp(service);
        }
    }

    @Test
    void servesStockHttpWhenASettingIsWrong() throws Exception {
        final Configuration conf = conf();
        conf.set("spillway.node.open.files", "many");
        try (ShuffleServiceFixture service = start(conf)) {
            assertServesHttp(service);
            assertThat(reasonOfOpen(service)).isEqualTo(Reason.NOT_SPILLWAY);
        }
    }

    @Test
    void servesStockHttpOnlyWhereItIsDisabled() throws Exception {
        final Configuration conf = conf();
        conf.set("spillway.handler.enabled", "false");
        try (ShuffleServiceFixture service = start(conf)) {
            assertServesHttp(service);
            assertThat(reasonOfOpen(service)).isEqualTo(Reason.NOT_SPILLWAY);
        }
    }

    @Test
    void aStockHandlerAnswersHelloAtOnce() throws Exception {
        final ShuffleHandler stock = new ShuffleHandler();
        try (ShuffleServiceFixture service = new ShuffleServiceFixture(stock, conf(), localDir)) {
            for (int i = 0; i < 200; i++) {
                assertThat(reasonOfOpen(service)).isEqualTo(Reason.NOT_SPILLWAY);
            }
        }
    }

    @Test
    void ourConnectionsDoNotCountAgainstStocksLimit() throws Exception {
        final Configuration conf = conf();
        conf.setInt(ShuffleHandler.MAX_SHUFFLE_CONNECTIONS, 2);
        try (ShuffleServiceFixture service = start(conf)) {
            final List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                channels.add(transport.open(service.address(), credentials()));
            }
            assertServesHttp(service);
            channels.forEach(Channel::close);
            awaitFreeHttp(service);
            assertThat(exceedStocksLimit(service)).isTrue();
        }
    }

    /**
     * The limit still holds, after ours came and went: two idle connections fill it. Tries again
     * where one of them came before stock had seen the end of a former connection.
     */
    private static boolean exceedStocksLimit(final ShuffleServiceFixture service) throws Exception {
        for (int i = 0; i < 100; i++) {
            try (Socket first = connect(service);
                    Socket second = connect(service)) {
                assertThat(Arrays.asList(first, second)).allMatch(Socket::isConnected);
                Thread.sleep(20);
                if (service.statusOverHttp(0) == 429) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Socket connect(final ShuffleServiceFixture service) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), service.address().port());
    }

    private static void awaitFreeHttp(final ShuffleServiceFixture service) throws Exception {
        int status = service.statusOverHttp(0);
        for (int i = 0; i < 100 && status != 200; i++) {
            Thread.sleep(20);
            status = service.statusOverHttp(0);
        }
        assertThat(status).isEqualTo(200);
    }

    @Test
    void aFullStockHandlerIsBusy() throws Exception {
        final Configuration conf = conf();
        conf.setInt(ShuffleHandler.MAX_SHUFFLE_CONNECTIONS, 1);
        try (ShuffleServiceFixture service = start(conf);
                Socket idle = connectAsTheOnlyOne(service)) {
            assertThat(idle.isConnected()).isTrue();
            assertThat(reasonOfOpen(service)).isEqualTo(Reason.BUSY);
        }
    }

    /** Stock counts connections in its event loops: a later one can be counted first. */
    private static Socket connectAsTheOnlyOne(final ShuffleServiceFixture service)
            throws Exception {
        for (int i = 0; i < 100; i++) {
            final Socket idle = connect(service);
            Thread.sleep(20);
            if (service.statusOverHttp(0) == 429) {
                return idle;
            }
            idle.close();
        }
        throw new AssertionError("no connection is counted");
    }

    @Test
    void stoppingEndsConnections() throws Exception {
        final Channel channel;
        try (ShuffleServiceFixture service = start(conf())) {
            channel = transport.open(service.address(), credentials());
            assertThat(fetch(channel, SEGMENT, 0, 10).bytes()).hasSize(10);
        }
        assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                .isEqualTo(Reason.DISCONNECTED);
    }
}
