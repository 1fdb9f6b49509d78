// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static io.spillway.hadoop.handler.ShuffleServiceFixture.ATTEMPT;
import static io.spillway.hadoop.handler.ShuffleServiceFixture.JOB;
import static io.spillway.hadoop.handler.ShuffleServiceFixture.credentials;
import static io.spillway.transport.FetchRecorder.fetch;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.hadoop.SpillwayShuffleHandler;
import io.spillway.node.metrics.NodeFigures;
import io.spillway.node.metrics.NodeMetric;
import io.spillway.node.metrics.NodeMetric.Label;
import io.spillway.node.metrics.NodeMetric.Publisher;
import io.spillway.store.FreeSpace;
import io.spillway.store.StoreFullException;
import io.spillway.store.pool.FileLease;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.SegmentId;
import io.spillway.transport.serve.ServerStats;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricType;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.impl.MetricsSystemImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** What a NodeManager's sinks get of a handler that serves real connections. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class HandlerMetricsTest {
    private static final String APP = "application_1700000000000_0007";
    private static final int SEGMENT_BYTES = 200_000;
    private static final int PAGE = 4096;
    private static final Map<String, String> MEMORY = Map.of("tier", "memory");

    private final TcpTransport transport =
            new TcpTransport(Map.of("spillway.shuffle.connect.timeout.ms", "60000")::get);

    @TempDir private Path localDir;

    @TempDir(factory = SharedMemory.class)
    private Path memory;

    private ShuffleServiceFixture service;

    /** The memory tier has to be on tmpfs. */
    static final class SharedMemory implements TempDirFactory {
        @Override
        public Path createTempDirectory(
                final AnnotatedElementContext element, final ExtensionContext context)
                throws IOException {
            return Files.createTempDirectory(Path.of("/dev/shm"), "spillway-test-");
        }
    }

    @BeforeEach
    void start() throws IOException {
        service = start(localDir);
        service.initializeApplication();
    }

    private ShuffleServiceFixture start(final Path local) throws IOException {
        final Configuration conf = ShuffleServiceFixture.conf();
        conf.set("spillway.store.memory.dir", memory.toString());
        conf.set("spillway.store.memory.limit", "1m");
        conf.set("spillway.store.memory.reserve", "0");
        return new ShuffleServiceFixture(new SpillwayShuffleHandler(), conf, local);
    }

    @AfterEach
    void close() {
        service.close();
        transport.close();
    }

    private PublishedMetrics published() {
        return PublishedMetrics.of(service.metricsSource());
    }

    private long value(final String metric, final Map<String, String> tags) {
        return published().value(metric, tags);
    }

    /** What is counted when bytes have left may be counted after they have come. */
    static void await(final LongSupplier value, final long expected) throws InterruptedException {
        for (int i = 0; i < 3000 && value.getAsLong() != expected; i++) {
            Thread.sleep(10);
        }
        assertThat(value.getAsLong()).isEqualTo(expected);
    }

    // ---- what moves ----------------------------------------------------------------------------

    @Test
    void countsWhatSpillwaysProtocolServes() throws Exception {
        final Map<String, String> tcp = Map.of("transport", "tcp");
        final Map<String, String> fromDisk = Map.of("transport", "tcp", "source", "disk");
        assertThat(value("TransportAcceptedTotal", tcp)).isZero();
        assertThat(value("NodemanagerJobs", Map.of())).isOne();
        try (Channel channel = transport.open(service.address(), credentials())) {
            assertThat(value("TransportConnections", tcp)).isOne();
            assertThat(fetch(channel, new SegmentId(ATTEMPT, 1), 0, SEGMENT_BYTES).bytes())
                    .hasSize(SEGMENT_BYTES);
            await(() -> value("TransportBytesTotal", fromDisk), SEGMENT_BYTES);
            assertThat(value("CacheMissesTotal", Map.of())).isOne();
            assertThat(fetch(channel, new SegmentId(ATTEMPT, 9), 0, 1).failure()).isNotNull();
        }
        assertThat(value("TransportRequestsTotal", tcp)).isEqualTo(2);
        assertThat(value("TransportFailuresTotal", tcp)).isOne();
        assertThat(value("TransportAcceptedTotal", tcp)).isOne();
        await(() -> value("TransportConnections", tcp), 0);

        service.stopApplication();
        assertThat(value("NodemanagerJobs", Map.of())).isZero();
    }

    @Test
    void countsWhatWasReadAheadApart() throws Exception {
        final Map<String, String> fromCache = Map.of("transport", "tcp", "source", "cache");
        try (Channel channel = transport.open(service.address(), credentials())) {
            fetch(channel, new SegmentId(ATTEMPT, 1), 0, 1000).bytes();
            await(() -> value("CacheReadAheadBytesTotal", Map.of()), SEGMENT_BYTES + 16);
            fetch(channel, new SegmentId(ATTEMPT, 1), 1000, 5000).bytes();
            await(() -> value("TransportBytesTotal", fromCache), 5000);
        }
        assertThat(value("CacheHitsTotal", Map.of())).isOne();
    }

    @Test
    void countsRefusalsByCause() throws Exception {
        final JobCredentials wrong = new JobCredentials(JOB, "guessed".getBytes(UTF_8));
        final JobCredentials other =
                new JobCredentials("job_1700000000000_0099", "any".getBytes(UTF_8));
        for (final JobCredentials credentials : new JobCredentials[] {wrong, other, other}) {
            assertThatThrownBy(() -> transport.open(service.address(), credentials))
                    .isInstanceOf(FetchException.class);
        }
        assertThat(refused("unauthorized")).isOne();
        assertThat(refused("unknown_job")).isEqualTo(2);
        assertThat(refused("full")).isZero();
    }

    private long refused(final String cause) {
        return value("TransportRefusedTotal", Map.of("transport", "tcp", "cause", cause));
    }

    @Test
    void countsHttpAndWhoFallsBackToIt() throws Exception {
        final Map<String, String> http = Map.of("transport", "http");
        assertThat(service.fetchOverHttp(1)).hasSize(SEGMENT_BYTES);
        await(() -> value("TransportBytesTotal", http), SEGMENT_BYTES);
        assertThat(value("TransportRequestsTotal", http)).isOne();
        assertThat(value("TransportAcceptedTotal", http)).isOne();
        assertThat(value("HttpFallbacksTotal", Map.of())).isZero();

        assertThat(service.fetchOverHttp(0, "Spillway")).hasSize(10);
        await(() -> value("TransportBytesTotal", http), SEGMENT_BYTES + 10);
        assertThat(value("HttpFallbacksTotal", Map.of())).isOne();
        await(() -> value("TransportConnections", http), 0);
        service.stopApplication();
        service.statusOverHttp(0);
        await(() -> value("TransportFailuresTotal", http), 1);
    }

    @Test
    void showsTiersWithLeasesAndOverflowsByCause() throws Exception {
        assertThat(value("StoreLimitBytes", MEMORY)).isEqualTo(1 << 20);
        assertThat(value("StoreUsedBytes", MEMORY)).isZero();
        final FilePool folder = TierAdvertisement.readFrom(localDir).folder("memory").orElseThrow();
        try (FileLease task = folder.lease(APP, "attempt_1", new FreeSpace(folder.root(), 0))) {
            task.open("file.out", 10 * PAGE);
            assertThat(value("StoreLeases", MEMORY)).isOne();
            assertThat(value("StoreLeasedBytes", MEMORY)).isEqualTo(10 * PAGE);
            assertThat(value("StoreFreeBytes", MEMORY)).isEqualTo((1 << 20) - 10 * PAGE);

            assertThatThrownBy(() -> task.open("file.large", 2 << 20))
                    .isInstanceOf(StoreFullException.class);
            assertThat(overflows("limit")).isOne();
            assertThat(overflows("reserve")).isZero();
        }
        final FreeSpace none = new FreeSpace(folder.root(), Long.MAX_VALUE / 2);
        try (FileLease task = folder.lease(APP, "attempt_2", none)) {
            assertThatThrownBy(() -> task.open("file.out", PAGE))
                    .isInstanceOf(StoreFullException.class);
            assertThat(overflows("reserve")).isOne();
            assertThat(overflows("limit")).isOne();
        }
        assertThat(value("StoreLeases", MEMORY)).isZero();
    }

    private long overflows(final String cause) {
        return value("StoreOverflowsTotal", Map.of("tier", "memory", "cause", cause));
    }

    // ---- names ---------------------------------------------------------------------------------

    @Test
    void publishesExactlyTheListOfMetrics() {
        final Set<String> published = new TreeSet<>();
        for (final MetricsRecord record : published().records()) {
            assertThat(record.name()).isEqualTo("Spillway");
            assertThat(record.context()).isEqualTo("mapred");
            for (final AbstractMetric metric : record.metrics()) {
                published.add(metric.name());
                final NodeMetric listed = listed(metric.name());
                assertThat(metric.type()).isEqualTo(MetricType.valueOf(listed.type().name()));
                assertThat(metric.description()).isEqualTo(listed.help());
                assertThat(labels(record)).as(metric.name()).isEqualTo(labels(listed));
            }
        }
        assertThat(published)
                .isEqualTo(
                        NodeMetric.of(Publisher.NODE_MANAGER).stream()
                                .map(NodeMetric::hadoopName)
                                .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static NodeMetric listed(final String hadoopName) {
        return NodeMetric.of(Publisher.NODE_MANAGER).stream()
                .filter(metric -> metric.hadoopName().equals(hadoopName))
                .findFirst()
                .orElseThrow();
    }

    private static Set<String> labels(final MetricsRecord record) {
        final Set<String> labels = new HashSet<>(PublishedMetrics.tagsOf(record).keySet());
        labels.remove("Context");
        return labels;
    }

    /** Every record says of which NodeManager it is. */
    private static Set<String> labels(final NodeMetric listed) {
        final Set<String> labels =
                listed.labels().stream().map(Label::toString).collect(Collectors.toSet());
        labels.add(Label.NODE_MANAGER.toString());
        return labels;
    }

    @Test
    void hadoopGivesPrometheusTheNamesOfTheNodeProcess() throws IOException {
        final Matcher types =
                Pattern.compile("(?m)^# TYPE (\\S+) (\\S+)$").matcher(published().prometheus());
        final Set<String> shown = new TreeSet<>();
        while (types.find()) {
            shown.add(types.group(1) + " " + types.group(2).toLowerCase(Locale.ROOT));
        }
        assertThat(published().prometheus())
                .containsPattern("(?m)^spillway_transport_refused_total\\{.*cause=\"full\".*} 0$");
        assertThat(shown)
                .isEqualTo(
                        NodeMetric.of(Publisher.NODE_MANAGER).stream()
                                .map(metric -> metric.prometheusName() + " " + metric.type())
                                .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** As in a NodeManager: the system runs, and has each source among its beans. */
    @Test
    void aRunningMetricsSystemShowsItInJmxUntilItIsClosed() throws Exception {
        final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        final MetricsSystemImpl system = new MetricsSystemImpl("SpillwayTest");
        DefaultMetricsSystem.setMiniClusterMode(false);
        system.start();
        try {
            final HandlerMetrics metrics = register(system, 5);
            final HandlerMetrics others = register(system, 6);
            final ObjectName first = beanOf(metrics);
            final ObjectName second = beanOf(others);
            assertThat(first).isNotEqualTo(second);
            assertThat(beans.getAttribute(first, "NodemanagerJobs")).isEqualTo(5L);
            assertThat(beans.getAttribute(second, "NodemanagerJobs")).isEqualTo(6L);
            assertThat(beans.getAttribute(first, "tag.transport.1")).isEqualTo("tcp");
            assertThat(beans.getAttribute(first, "TransportConnections.1")).isEqualTo(3L);
            metrics.close();
            assertThat(beans.isRegistered(first)).isFalse();
            assertThat(beans.isRegistered(second)).isTrue();
            others.close();
            assertThat(beans.isRegistered(second)).isFalse();
        } finally {
            system.stop();
            system.shutdown();
            DefaultMetricsSystem.setMiniClusterMode(true);
        }
    }

    private static ObjectName beanOf(final HandlerMetrics metrics) throws Exception {
        return new ObjectName("Hadoop:service=SpillwayTest,name=" + metrics.name());
    }

    private static HandlerMetrics register(final MetricsSystem system, final long jobs) {
        final ServerStats stats = new ServerStats(3, 0, Map.of(), 0, 0, Map.of());
        return HandlerMetrics.register(
                        system,
                        "node-1",
                        () -> {
                            final NodeFigures figures = new NodeFigures();
                            figures.jobs("node-1", jobs);
                            figures.transport("tcp", stats);
                            return figures;
                        })
                .orElseThrow();
    }

    // ---- the source's life ---------------------------------------------------------------------

    @Test
    void eachHandlerOfAJvmHasASourceOfItsOwnUntilItStops(@TempDir final Path other)
            throws Exception {
        final Map<String, String> tcp = Map.of("transport", "tcp");
        try (ShuffleServiceFixture second = start(other)) {
            second.initializeApplication();
            transport.open(second.address(), credentials()).close();
            final String first = service.metricsSource();
            assertThat(second.metricsSource()).isNotEqualTo(first);
            final PublishedMetrics ofSecond = PublishedMetrics.of(second.metricsSource());
            assertThat(ofSecond.value("TransportAcceptedTotal", tcp)).isOne();
            assertThat(value("TransportAcceptedTotal", tcp)).isZero();

            service.close();
            assertThat(PublishedMetrics.has(first)).isFalse();
            assertThat(PublishedMetrics.has(second.metricsSource())).isTrue();
            start();
            assertThat(service.metricsSource()).isEqualTo(first);
            assertThat(value("TransportAcceptedTotal", tcp)).isZero();
        }
        assertThat(PublishedMetrics.sources()).contains(service.metricsSource());
    }
}
