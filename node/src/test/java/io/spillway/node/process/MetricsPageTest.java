// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.node.Transports;
import io.spillway.node.control.ControlClient;
import io.spillway.node.control.ManagerHello;
import io.spillway.node.metrics.NodeMetric;
import io.spillway.node.metrics.NodeMetric.Label;
import io.spillway.node.metrics.NodeMetric.Publisher;
import io.spillway.store.FreeSpace;
import io.spillway.store.pool.FilePool;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a scraper gets of a node process that serves. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class MetricsPageTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final long LIMIT = 1 << 20;
    private static final long MEMORY = 4 << 20;
    private static final Pattern TYPES = Pattern.compile("(?m)^# TYPE (\\S+) (\\S+)$");
    private static final Pattern VALUES =
            Pattern.compile("(?m)^([a-z_]+)(?:\\{([^}]*)\\})? (\\d+)$");

    @TempDir private Path folder;

    @Test
    void hasExactlyTheListOfMetrics() throws Exception {
        final Path socket = folder.resolve("run/node.sock");
        final int port = freePort();
        final int service = freePort();
        final Map<String, String> settings = new TreeMap<>();
        settings.put("spillway.node.socket", socket.toString());
        settings.put("spillway.node.host", "127.0.0.1");
        settings.put("spillway.node.transports", "tcp");
        settings.put("spillway.node.http.port", String.valueOf(port));
        // All that a node process can be: a host's, a memory node and the placement service.
        settings.put("spillway.node.tcp.port", String.valueOf(service));
        settings.put("spillway.placement.service", "127.0.0.1:" + service);
        settings.put("spillway.placement.serve", "true");
        settings.put("spillway.placement.secret.file", secret().toString());
        settings.put("spillway.node.memory.bytes", String.valueOf(MEMORY));
        final Path root = folder.resolve("of-user/memory-nm-1");
        final FilePool tier = FilePool.create(root, LIMIT, Duration.ZERO);
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addStore(new ManagerHello.Store("memory", root, LIMIT));
        manager.addJob(JOB);
        try (TcpTransport transport = new TcpTransport(name -> null);
                NodeProcess process = NodeProcess.start(Transports.all(), settings::get, false);
                ControlClient link = manager.link(socket, ControlClient.Starter.NONE);
                AutoCloseable lease =
                        tier.lease("application_1_0001", "attempt_1", new FreeSpace(root, 0))) {
            assertThat(process).isNotNull();
            assertThat(lease).isNotNull();
            TestManager.fetch(transport, TestManager.awaitTcp(link), JOB);
            TestManager.await("its bytes", () -> page(port).contains(",source=\"disk\"} 100000"));

            final String page = page(port);
            assertThat(types(page))
                    .isEqualTo(
                            NodeMetric.of(Publisher.NODE_PROCESS).stream()
                                    .map(metric -> metric.prometheusName() + " " + metric.type())
                                    .collect(Collectors.toCollection(TreeSet::new)));
            assertThat(page)
                    .contains(
                            "spillway_store_limit_bytes{nodemanager=\"nm-1\",tier=\"memory\"} "
                                    + LIMIT
                                    + "\n",
                            "spillway_nodemanager_connected{nodemanager=\"nm-1\"} 1\n");
            assertThat(page)
                    .contains(
                            "spillway_memory_capacity_bytes " + MEMORY + "\n",
                            "spillway_memory_puts_refused_total{cause=\"full\"} 0\n",
                            "spillway_placement_refused_total{cause=\"job_quota\"} 0\n");
            assertLabels(page);
        } finally {
            tier.release();
        }
    }

    private Path secret() throws IOException {
        final Path file = folder.resolve("cluster.secret");
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, "a secret of the nodes of this test");
    }

    private static Set<String> types(final String page) {
        final Set<String> types = new TreeSet<>();
        final Matcher found = TYPES.matcher(page);
        while (found.find()) {
            types.add(found.group(1) + " " + found.group(2));
        }
        return types;
    }

    /** Each value has the labels that its metric is listed with. */
    private static void assertLabels(final String page) {
        for (final NodeMetric metric : NodeMetric.of(Publisher.NODE_PROCESS)) {
            final Set<String> expected =
                    metric.labels().stream().map(Label::toString).collect(Collectors.toSet());
            final Matcher values = VALUES.matcher(page);
            int found = 0;
            while (values.find()) {
                if (values.group(1).equals(metric.prometheusName())) {
                    found++;
                    assertThat(labels(values.group(2))).as("%s", metric).isEqualTo(expected);
                }
            }
            assertThat(found).as("values of %s", metric).isPositive();
        }
    }

    private static Set<String> labels(final String textOrNull) {
        final Set<String> labels = new TreeSet<>();
        if (textOrNull != null) {
            for (final String label : textOrNull.split(",", -1)) {
                labels.add(label.substring(0, label.indexOf('=')));
            }
        }
        return labels;
    }

    private static String page(final int port) {
        final HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build();
        try {
            return HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (final IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
