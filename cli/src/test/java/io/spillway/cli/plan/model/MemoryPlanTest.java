// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import static io.spillway.cli.plan.model.PlanInputs.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.Placement;
import io.spillway.conf.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryPlanTest {
    private static final Set<Placement> ALL = EnumSet.allOf(Placement.class);

    @Property
    void theBestIsTheSmallestTimeWithTheFewestNodes(
            @ForAll @LongRange(min = 1, max = 1L << 43) final long data,
            @ForAll @IntRange(min = 1, max = 24) final int hosts,
            @ForAll @IntRange(min = 0, max = 24) final int most,
            @ForAll final boolean extra) {
        final PlanInput input = PlanInputs.cluster().data(data).hosts(hosts).build();

        final MemoryPlan plan = MemoryPlan.of(input, most, extra, ALL);
        final Forecast best = plan.best();

        assertThat(plan.forecasts())
                .contains(best)
                .allSatisfy(
                        other -> {
                            assertThat(best.seconds()).isLessThanOrEqualTo(other.seconds());
                            assertThat(other.computing()).isPositive();
                            if (other.seconds() == best.seconds()) {
                                assertThat(best.memoryNodes())
                                        .isLessThanOrEqualTo(other.memoryNodes());
                            }
                        });
        assertThat(plan.bestOfEach()).contains(best);
        assertThat(plan.within(1)).contains(best.memoryNodes());
    }

    @Test
    void memoryNodesPayWhereComputeHostsHaveNoMemoryToSpareAndASlowDisk() {
        final PlanInput input =
                PlanInputs.cluster()
                        .cores(4)
                        .slots(8)
                        .memory(32 * GIB)
                        .yarn(31 * GIB)
                        .shared(2e8)
                        .disk(0)
                        .data(200 * GIB)
                        .costs(new CpuCosts(2, 1, 0.5, 0.2, 0.2, 2, 3, "a test"))
                        .build();

        final Forecast best = MemoryPlan.of(input, 16, false, ALL).best();

        assertThat(best.memoryNodes()).isBetween(1, 16);
        assertThat(best.placement().staysHere()).isFalse();
        assertThat(best.layout().overflowBytes()).isZero();
    }

    @Test
    void oneHostHasNoMemoryNodes() {
        final PlanInput input = PlanInputs.cluster().hosts(1).build();

        assertThat(MemoryPlan.of(input, 4, false, ALL).best().placement())
                .isEqualTo(Placement.LOCAL);
        assertThatThrownBy(() -> MemoryPlan.of(input, 4, false, Set.of(Placement.DEDICATED)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--placement [dedicated]");
    }

    @Test
    void jobsWithoutMapOutputNeedNoMemoryNode() {
        final Forecast best =
                MemoryPlan.of(PlanInputs.cluster().ratio(0).build(), 8, false, ALL).best();

        assertThat(best.memoryNodes()).isZero();
        assertThat(best.placement()).isEqualTo(Placement.LOCAL);
    }

    @Test
    void settingsAreSettings() {
        final PlanInput input = PlanInputs.cluster().copies(2).build();

        for (final Forecast forecast : MemoryPlan.of(input, 4, false, ALL).forecasts()) {
            for (final Map<String, String> lines :
                    List.of(
                            PlanSettings.job(forecast),
                            PlanSettings.computing(input, forecast),
                            PlanSettings.memoryNode(input, forecast))) {
                lines.keySet().removeIf(name -> name.startsWith("yarn."));
                assertThat(Settings.all().stream().map(key -> key.name()))
                        .containsAll(lines.keySet());
            }
        }
    }

    @Test
    void aReportHasATableAndAPlot(@TempDir final Path folder) throws IOException {
        final MemoryPlan plan =
                MemoryPlan.of(
                        PlanInputs.cluster().build(), 8, false, EnumSet.allOf(Placement.class));
        final Forecast stock = PlanModel.stock(plan.input(), 36);
        final PlanReport report = new PlanReport(plan, Optional.of(stock));

        assertThat(report.text())
                .contains("memory nodes", "bound by", "Recommended: ", "spillway.placement")
                .contains("Stock Hadoop with default settings on 36 hosts: ");
        final Path svg = folder.resolve("nodes.svg");
        report.plots().forEach(plot -> plot.writeOne(svg));
        assertThat(Files.readString(svg)).contains("Expected time by memory nodes");
    }

    @Test
    void whereNothingFitsTheReportSaysSo() {
        final PlanInput input = PlanInputs.cluster().hosts(2).diskSpace(GIB).build();
        final PlanReport report =
                new PlanReport(MemoryPlan.of(input, 1, false, ALL), Optional.empty());

        assertThat(report.text()).contains("Nothing fits: ").doesNotContain("Recommended");
        assertThat(report.plots()).isEmpty();
    }

    @Test
    void numbersInARowAreOneRange() {
        assertThat(PlanReport.ranges(List.of(0, 1, 2, 5, 7, 8))).isEqualTo("0 to 2, 5, 7 to 8");
        assertThat(PlanReport.ranges(List.of(4))).isEqualTo("4");
    }
}
