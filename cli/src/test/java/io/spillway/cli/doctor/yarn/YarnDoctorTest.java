// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.doctor.check.DoctorReport;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.Severity;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.Rest;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Faults planted in a cluster that is healthy else. */
class YarnDoctorTest {
    private static final Map<String, String> CLIENT =
            Map.of("hadoop", "3.5.0", "spillway jar", "0.1.0");

    private FakeCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = new FakeCluster();
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
    }

    private DoctorReport examine(final Map<String, String> properties) {
        return new YarnDoctor(Rest.DIRECT, cluster.address(), properties, CLIENT).examine();
    }

    private void assertFound(final Severity severity, final String check, final String what) {
        final DoctorReport report = examine(Map.of());
        final List<Finding> findings =
                Stream.concat(
                                report.findings().stream(),
                                report.hosts().stream().flatMap(host -> host.findings().stream()))
                        .toList();
        assertThat(findings).hasSize(1);
        assertThat(findings.get(0).severity()).isEqualTo(severity);
        assertThat(findings.get(0).check()).isEqualTo(check);
        assertThat(findings.get(0).what()).contains(what);
        assertThat(report.hosts().get(0).findings()).isEmpty();
    }

    @Test
    void aHealthyClusterHasNoFindings() {
        final DoctorReport report = examine(Map.of());

        assertThat(report.findings()).isEmpty();
        assertThat(report.hosts()).hasSize(2);
        assertThat(report.hosts()).allSatisfy(host -> assertThat(host.findings()).isEmpty());
        assertThat(report.hosts())
                .allSatisfy(
                        host ->
                                assertThat(host.facts())
                                        .containsOnlyKeys("hadoop", "java", "spillway jar"));
    }

    @Test
    void aNodeManagerThatIsUnhealthyIsFound() {
        cluster.node(1).put("state", "UNHEALTHY").put("healthReport", "1/1 local-dirs are bad");

        assertFound(Severity.ERROR, "node-manager", "UNHEALTHY: 1/1 local-dirs are bad");
    }

    @Test
    void aNodeManagerThatIsLostIsFound() {
        cluster.node(1).put("state", "LOST").put("nodeHTTPAddress", "");

        assertFound(Severity.ERROR, "node-manager", "LOST");
    }

    @Test
    void aNodeManagerThatWasDecommissionedIsMeantSo() {
        cluster.node(1).put("state", "DECOMMISSIONED").put("nodeHTTPAddress", "");

        assertThat(examine(Map.of()).hosts().get(1).findings()).isEmpty();
    }

    @Test
    void aNodeManagerWithHadoopsOwnHandlerIsFound() {
        cluster.second
                .set(
                        "yarn.nodemanager.aux-services.mapreduce_shuffle.class",
                        "org.apache.hadoop.mapred.ShuffleHandler")
                .withoutMetrics()
                .shuffleSays("HTTP/1.1 400 Bad Request\r\n\r\n");

        assertFound(Severity.WARNING, "aux-service", "ShuffleHandler");
    }

    @Test
    void aHandlerThatServesStockHttpOnlyIsFound() {
        cluster.second.withoutMetrics().shuffleSays("HTTP/1.1 400 Bad Request\r\n\r\n");

        assertFound(Severity.ERROR, "handler", "stock HTTP only");
    }

    @Test
    void aNodeManagerWithoutAMemoryTierIsFound() {
        cluster.second.withoutTiers();

        assertFound(Severity.WARNING, "handler", "no memory tier");
    }

    @Test
    void aMisspeltSettingOfANodeManagerIsFound() {
        cluster.second.set("spillway.node.prefetch.byte", "1g");

        assertFound(Severity.WARNING, "settings", "the nearest is spillway.node.prefetch.bytes");
    }

    @Test
    void aNodeManagerWithAnotherJarIsFound() {
        cluster.second.classPath("/opt/hadoop/a.jar:/opt/hadoop/spillway-hadoop-0.0.9.jar");

        assertFound(Severity.WARNING, "same-everywhere", "0.0.9 on ");
    }

    @Test
    void theJarIsFoundOnTheServicesOwnClassPath() {
        cluster.second
                .classPath("/opt/hadoop/a.jar")
                .set(
                        "yarn.nodemanager.aux-services.mapreduce_shuffle.classpath",
                        "/srv/spillway-hadoop-0.0.9.jar");

        assertFound(Severity.WARNING, "same-everywhere", "0.0.9 on ");
    }

    @Test
    void aClientWithAnotherJarIsFound() {
        final DoctorReport report =
                new YarnDoctor(
                                Rest.DIRECT,
                                cluster.address(),
                                Map.of(),
                                Map.of("hadoop", "3.5.0", "spillway jar", "0.0.9"))
                        .examine();

        assertThat(report.findings()).hasSize(1);
        assertThat(report.findings().get(0).what()).contains("0.0.9 on this client");
    }

    @Test
    void aShufflePortThatIsClosedIsFound() throws IOException {
        cluster.second.withoutShuffle();

        assertFound(Severity.ERROR, "shuffle-port", "does not answer");
    }

    @Test
    void anotherServiceAtTheShufflePortIsFound() {
        cluster.second.shuffleSays("HTTP/1.1 400 Bad Request\r\n\r\n");

        assertFound(Severity.ERROR, "shuffle-port", "as Hadoop's own handler does");
    }

    @Test
    void aNodeManagerThatTellsNothingIsFound() {
        cluster.second.silent();

        assertFound(Severity.WARNING, "node-manager", "HTTP 403");
    }

    @Test
    void moreReducersThanPlacesForConnectionsAreFound() {
        final DoctorReport report =
                examine(
                        Map.of(
                                "mapreduce.reduce.memory.mb", "256",
                                "spillway.node.max.connections", "1"));

        assertThat(report.findings()).extracting(Finding::check).containsExactly("connections");
    }

    @Test
    void aResourceManagerThatIsGoneIsAnError() {
        assertThatThrownBy(
                        () ->
                                new YarnDoctor(
                                                Rest.DIRECT,
                                                URI.create("http://localhost:1"),
                                                Map.of(),
                                                CLIENT)
                                        .examine())
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("does not answer at http://localhost:1");
    }
}
