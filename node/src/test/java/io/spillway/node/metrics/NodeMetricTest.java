// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.node.metrics.NodeFigures.Figure;
import io.spillway.node.metrics.NodeMetric.Label;
import io.spillway.node.metrics.NodeMetric.Publisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NodeMetricTest {
    private static final Path PAGE = Path.of("../docs/operating.md");

    @ParameterizedTest
    @EnumSource
    void isNamedAsPrometheusAsks(final NodeMetric metric) {
        assertThat(metric.prometheusName()).matches("spillway(_[a-z]+)+");
        assertThat(metric.prometheusName().endsWith("_total"))
                .isEqualTo(metric.type() == NodeMetric.Type.COUNTER);
        assertThat(metric.hadoopName()).matches("([A-Z][a-z]+)+");
        assertThat(metric.help()).endsWith(".").doesNotContain("\n", "|");
        if (metric.unit().equals("bytes")) {
            assertThat(metric.prometheusName()).contains("_bytes");
        }
        assertThat(metric.publishers()).isNotEmpty();
    }

    /** The table of the page is made of these rows; a row that is wrong or missing is printed. */
    @Test
    void theAdminsPageHasATableOfAllAndOfNoOthers() throws IOException {
        final String expected =
                Stream.of(NodeMetric.values())
                        .map(NodeMetricTest::row)
                        .collect(Collectors.joining("\n"));
        try (Stream<String> lines = Files.lines(PAGE)) {
            assertThat(
                            lines.filter(line -> line.startsWith("| `spillway_"))
                                    .collect(Collectors.joining("\n")))
                    .isEqualTo(expected);
        }
    }

    private static String row(final NodeMetric metric) {
        return String.join(
                " | ",
                "| `" + metric.prometheusName() + "`",
                "`" + metric.hadoopName() + "`",
                metric.type() + ", " + metric.unit(),
                metric.labels().stream().map(Label::toString).collect(Collectors.joining(", ")),
                published(metric),
                metric.help() + " |");
    }

    private static String published(final NodeMetric metric) {
        if (metric.publishers().size() == Publisher.values().length) {
            return "both";
        }
        return metric.publishers().contains(Publisher.NODE_MANAGER) ? "handler" : "node process";
    }

    @Test
    void aValueHasTheLabelsOfItsMetric() {
        final Map<Label, String> labels = new EnumMap<>(Label.class);
        labels.put(Label.TRANSPORT, "tcp");
        assertThat(new Figure(NodeMetric.TRANSPORT_CONNECTIONS, labels, 1).labels())
                .isEqualTo(labels);
        assertThatThrownBy(() -> new Figure(NodeMetric.CACHE_HITS, labels, 1))
                .hasMessageContaining("labels={transport=tcp} of CACHE_HITS, expected []");
    }

    @Test
    void labelsAreEscaped() {
        final NodeFigures figures = new NodeFigures();
        figures.jobs("a\"b\\c\nd", 3);
        assertThat(PrometheusText.of(figures))
                .isEqualTo(
                        "# HELP spillway_nodemanager_jobs Jobs that are served.\n"
                                + "# TYPE spillway_nodemanager_jobs gauge\n"
                                + "spillway_nodemanager_jobs{nodemanager=\"a\\\"b\\\\c\\nd\"} 3\n");
    }
}
