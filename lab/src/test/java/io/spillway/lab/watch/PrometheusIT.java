// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.site.Web;
import io.spillway.node.launch.NodeCommand;
import io.spillway.node.metrics.NodeMetric;
import io.spillway.node.metrics.NodeMetric.Publisher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Prometheus that scrapes a node process, with the rules and the dashboard's queries of {@code
 * dist}. The node process is all that one can be, so that it publishes every metric of its kind.
 */
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PrometheusIT {
    private static final Path PROMETHEUS = Path.of("/usr/bin/prometheus");
    private static final Path PROMTOOL = Path.of("/usr/bin/promtool");
    private static final Path DIST = Path.of("../dist").toAbsolutePath().normalize();
    private static final long PATIENCE_SECONDS = 60;
    private static final long PAUSE_MILLIS = 200;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir private static Path folder;

    private static final List<Process> PROCESSES = new ArrayList<>();
    private static int nodePort;
    private static URI prometheus;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(Files.isExecutable(PROMETHEUS), PROMETHEUS + " is not installed");
        nodePort = freePort();
        PROCESSES.add(node());
        final int port = freePort();
        prometheus = URI.create("http://127.0.0.1:" + port);
        PROCESSES.add(prometheus(port));
        await("a scrape", () -> value("up{job=\"spillway\"}") == 1);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        for (final Process process : PROCESSES) {
            process.destroyForcibly();
        }
        for (final Process process : PROCESSES) {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static Process node() throws IOException {
        final int service = freePort();
        final Path secret =
                Files.createFile(
                        folder.resolve("cluster.secret"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "a secret of the nodes of this test");
        final Map<String, String> settings =
                new TreeMap<>(
                        Map.of(
                                "spillway.node.socket",
                                folder.resolve("node.sock").toString(),
                                "spillway.node.host",
                                "127.0.0.1",
                                "spillway.node.heap",
                                "64m",
                                "spillway.node.transports",
                                "tcp",
                                "spillway.node.http.port",
                                String.valueOf(nodePort),
                                "spillway.node.tcp.port",
                                String.valueOf(service),
                                "spillway.node.memory.bytes",
                                "4m",
                                "spillway.placement.service",
                                "127.0.0.1:" + service,
                                "spillway.placement.serve",
                                "true",
                                "spillway.placement.secret.file",
                                secret.toString()));
        return NodeCommand.of(System.getProperty("java.class.path"), settings::get, settings)
                .builder(List.of())
                .redirectOutput(folder.resolve("node.log").toFile())
                .start();
    }

    private static Process prometheus(final int port) throws IOException {
        final Path configuration = folder.resolve("prometheus.yml");
        Files.writeString(
                configuration,
                """
                global: {scrape_interval: 1s, evaluation_interval: 1s}
                rule_files: ['%s']
                scrape_configs:
                  - job_name: spillway
                    static_configs: [targets: ['127.0.0.1:%d']]
                """
                        .formatted(DIST.resolve("spillway-alerts.yml"), nodePort));
        return new ProcessBuilder(
                        PROMETHEUS.toString(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static JsonNode ask(final String path) throws IOException {
        return JSON.readTree(Web.DIRECT.get(prometheus.resolve(path)));
    }

    private static JsonNode query(final String expression) throws IOException {
        final String encoded = URLEncoder.encode(expression, StandardCharsets.UTF_8);
        return ask("/api/v1/query?query=" + encoded).path("data").path("result");
    }

    /** The first value; -1 where there is none. */
    private static double value(final String expression) throws IOException {
        return query(expression).path(0).path("value").path(1).asDouble(-1);
    }

    private static JsonNode rules() throws IOException {
        return ask("/api/v1/rules").path("data").path("groups").path(0).path("rules");
    }

    /** A condition of what processes say that may still be starting. */
    @FunctionalInterface
    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(final String what, final Condition condition) throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!holds(condition)) {
            assertThat(System.nanoTime()).as("%s; %s", what, logs()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private static boolean holds(final Condition condition) {
        try {
            return condition.holds();
        } catch (final IOException e) {
            return false; // it does not listen yet
        }
    }

    private static String logs() throws IOException {
        return Files.readString(folder.resolve("node.log"))
                + Files.readString(folder.resolve("prometheus.log"));
    }

    @Test
    void allMetricsOfANodeProcessAreScraped() throws Exception {
        await(
                "an answer of the placement service",
                () -> value("spillway_placement_answered") == 1);

        final Set<String> scraped =
                StreamSupport.stream(
                                ask("/api/v1/label/__name__/values").path("data").spliterator(),
                                false)
                        .map(JsonNode::asText)
                        .collect(Collectors.toSet());
        assertThat(scraped)
                .containsAll(
                        NodeMetric.of(Publisher.NODE_PROCESS).stream()
                                .filter(metric -> !isOfANodeManager(metric))
                                .map(NodeMetric::prometheusName)
                                .toList());
        assertThat(value("spillway_memory_capacity_bytes")).isEqualTo(4 << 20);
    }

    /** No NodeManager is connected here. */
    private static boolean isOfANodeManager(final NodeMetric metric) {
        return metric.labels().contains(NodeMetric.Label.NODE_MANAGER);
    }

    /** Types, help, names and units, as Prometheus' own linter wants them. */
    @Test
    void promtoolFindsNothingInThePage() throws Exception {
        final Path page = folder.resolve("page");
        Files.write(page, Web.DIRECT.get(URI.create("http://127.0.0.1:" + nodePort + "/metrics")));
        final Process check =
                new ProcessBuilder(PROMTOOL.toString(), "check", "metrics")
                        .redirectInput(page.toFile())
                        .redirectErrorStream(true)
                        .start();
        final String output =
                new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(check.waitFor()).as(output).isZero();
        assertThat(output).isEmpty();
    }

    @Test
    void everyQueryOfTheDashboardIsAnswered() throws Exception {
        int asked = 0;
        for (final JsonNode panel :
                JSON.readTree(DIST.resolve("spillway-grafana.json").toFile()).path("panels")) {
            for (final JsonNode target : panel.path("targets")) {
                final String expression =
                        target.path("expr")
                                .asText()
                                .replace("$job", "spillway")
                                .replace("$instance", ".*")
                                .replace("$__rate_interval", "1m");
                assertThat(query(expression).isArray()).as(expression).isTrue();
                asked++;
            }
        }
        assertThat(asked).isGreaterThan(10);
    }

    @Test
    @Order(Integer.MAX_VALUE) // it ends the node process
    void rulesAreEvaluatedAndNoticeALostMemoryNode() throws Exception {
        await("a value", () -> value("spillway_memory_capacity_bytes") > 0);
        await("rules that are evaluated", () -> rules().findValuesAsText("health").size() > 10);
        await(
                "rules without an error",
                () -> Set.copyOf(rules().findValuesAsText("health")).equals(Set.of("ok")));

        PROCESSES.get(0).destroyForcibly();

        await(
                "an alert that waits for its minute",
                () ->
                        value(
                                        "ALERTS{alertname=\"SpillwayMemoryNodeLost\","
                                                + "alertstate=\"pending\"}")
                                == 1);
        assertThat(query("ALERTS{alertname=\"SpillwayDown\"}")).isEmpty();
    }
}
