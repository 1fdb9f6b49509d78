// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.node.metrics.NodeMetric;
import io.spillway.node.metrics.NodeMetric.Label;
import io.spillway.placement.status.LeaseRefusal;
import io.spillway.store.pool.FolderStatus.Overflow;
import io.spillway.transport.serve.ServerStats.Refusal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The alert rules in {@code dist} ask for what nodes publish, and fire when they are to. */
class AlertsTest {
    private static final Path RULES = Path.of("../dist/spillway-alerts.yml");
    private static final Path SITUATIONS =
            Path.of("src/test/resources/io/spillway/cli/alerts.test.yml");
    private static final Path PROMTOOL = Path.of("/usr/bin/promtool");
    private static final Pattern METRIC = Pattern.compile("\\bspillway_[a-z_]+");
    private static final Pattern ALERT = Pattern.compile("(?m)^ +- alert: (\\w+)$");

    /** A metric, and the label and values that one is chosen by. */
    private static final Pattern CHOICE =
            Pattern.compile("\\b(spillway_[a-z_]+)\\{(\\w+)=~?\"([^\"]+)\"}");

    private final Map<String, NodeMetric> metrics =
            Stream.of(NodeMetric.values())
                    .collect(Collectors.toMap(NodeMetric::prometheusName, Function.identity()));

    /** What may stand in a label that has a bounded set of values. */
    private static Set<String> causes(final NodeMetric metric) {
        final Enum<?>[] causes =
                switch (metric) {
                    case TRANSPORT_REFUSED -> Refusal.values();
                    case STORE_OVERFLOWS -> Overflow.values();
                    case PLACEMENT_REFUSED -> LeaseRefusal.values();
                    default -> throw new AssertionError(metric + ": no causes are known here");
                };
        return Stream.of(causes)
                .map(cause -> cause.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    @Test
    void asksForMetricsThatNodesPublish() throws IOException {
        final List<String> asked =
                METRIC.matcher(Files.readString(RULES)).results().map(MatchResult::group).toList();

        assertThat(asked).hasSizeGreaterThan(10);
        assertThat(metrics.keySet()).containsAll(asked);
    }

    /** A cause that does not exist would only keep an alert silent. */
    @Test
    void choosesByLabelsAndCausesThatTheMetricsHave() throws IOException {
        final List<MatchResult> choices =
                CHOICE.matcher(Files.readString(RULES)).results().toList();

        assertThat(choices).hasSizeGreaterThan(3);
        for (final MatchResult choice : choices) {
            final NodeMetric metric = metrics.get(choice.group(1));
            assertThat(metric.labels()).extracting(Label::toString).contains(choice.group(2));
            assertThat(causes(metric)).contains(choice.group(3).split("\\|"));
        }
    }

    @Test
    void eachAlertHasASituationInWhichItFires() throws IOException {
        final String situations = Files.readString(SITUATIONS);

        assertThat(ALERT.matcher(Files.readString(RULES)).results().map(found -> found.group(1)))
                .hasSizeGreaterThan(10)
                .allSatisfy(alert -> assertThat(situations).contains("\"" + alert + "\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "test"})
    void promtoolAgrees(final String command) throws Exception {
        assumeTrue(Files.isExecutable(PROMTOOL), PROMTOOL + " is not installed");
        final Path file = command.equals("check") ? RULES : SITUATIONS;
        final Process process =
                new ProcessBuilder(PROMTOOL.toString(), command, "rules", file.toString())
                        .redirectErrorStream(true)
                        .start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("SUCCESS");
    }
}
