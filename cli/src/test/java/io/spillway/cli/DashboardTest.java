// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.node.metrics.NodeMetric;
import io.spillway.node.metrics.NodeMetric.Label;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The dashboard in {@code dist} asks for what nodes publish. */
class DashboardTest {
    private static final Path DASHBOARD = Path.of("..", "dist", "spillway-grafana.json");

    /** Labels that the scraper adds. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    private static final Pattern METRIC = Pattern.compile("\\bspillway_[a-z_]+");
    private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{([^}]*)}}");

    private final Map<String, NodeMetric> metrics =
            Stream.of(NodeMetric.values())
                    .collect(Collectors.toMap(NodeMetric::prometheusName, Function.identity()));

    private JsonNode dashboard;

    @BeforeEach
    void read() throws IOException {
        dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
    }

    /** What the panels query. */
    private List<JsonNode> targets() {
        final List<JsonNode> targets = new ArrayList<>();
        for (final JsonNode panel : dashboard.path("panels")) {
            panel.path("targets").forEach(targets::add);
        }
        return targets;
    }

    private static Set<String> all(final Pattern pattern, final int group, final String text) {
        final Set<String> found = new TreeSet<>();
        final Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(group));
        }
        return found;
    }

    private static Set<String> names(final Set<String> lists) {
        return lists.stream()
                .flatMap(list -> Stream.of(list.split(",", -1)))
                .map(String::trim)
                .collect(Collectors.toCollection(HashSet::new));
    }

    @Test
    void showsEveryMetricAndAsksForNoOther() {
        final Set<String> asked =
                targets().stream()
                        .flatMap(target -> all(METRIC, 0, target.path("expr").asText()).stream())
                        .collect(Collectors.toSet());
        assertThat(asked).isEqualTo(metrics.keySet());
        for (final JsonNode variable : dashboard.path("templating").path("list")) {
            assertThat(metrics.keySet())
                    .containsAll(all(METRIC, 0, variable.path("definition").asText()));
        }
    }

    @Test
    void groupsAndNamesLinesByLabelsThatTheMetricsHave() {
        for (final JsonNode target : targets()) {
            final String query = target.path("expr").asText();
            final Set<String> known = new HashSet<>(OF_PROMETHEUS);
            for (final String name : all(METRIC, 0, query)) {
                metrics.get(name).labels().stream().map(Label::toString).forEach(known::add);
            }
            final Set<String> grouped = names(all(GROUPING, 1, query));
            assertThat(known).as(query).containsAll(grouped);
            final Set<String> named = all(LEGEND, 1, target.path("legendFormat").asText());
            assertThat(grouped.isEmpty() ? known : grouped).as(query).containsAll(named);
        }
    }

    @Test
    void takesRatesOfCountersAndOfNothingElse() {
        for (final JsonNode target : targets()) {
            final String query = target.path("expr").asText();
            for (final String name : all(METRIC, 0, query)) {
                assertThat(query.contains("rate(" + name + "{"))
                        .as(query)
                        .isEqualTo(metrics.get(name).type() == NodeMetric.Type.COUNTER);
            }
        }
    }

    @Test
    void panelsAreTheDataSourcesThatIsChosen() {
        assertThat(dashboard.path("panels")).isNotEmpty();
        for (final JsonNode target : targets()) {
            assertThat(target.path("datasource").path("uid").asText()).isEqualTo("${datasource}");
        }
        assertThat(dashboard.path("templating").path("list").findValuesAsText("name"))
                .containsExactly("datasource", "job", "instance");
    }
}
