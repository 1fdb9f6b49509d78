// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import io.spillway.cli.report.LinePlot;
import io.spillway.cli.report.TextTable;
import io.spillway.conf.Placement;
import io.spillway.conf.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Shows a plan: as a table and as a plot. Immutable. */
public final class PlanReport {
    /** Times that are so close are one time: the model's error is larger. */
    private static final double CLOSE = 1.05;

    private static final int MOST_ROWS = 24;
    private static final double GIGA = 1e9;

    private final MemoryPlan plan;
    private final Optional<Forecast> stock;
    private final PlanInput input;
    private final Forecast best;

    /**
     * Prepares the report.
     *
     * @param stock the job with stock Hadoop on all hosts, where its costs are known
     */
    public PlanReport(final MemoryPlan plan, final Optional<Forecast> stock) {
        this.plan = plan;
        this.stock = stock;
        this.input = plan.input();
        this.best = plan.best();
    }

    // ---- text ----------------------------------------------------------------------------------

    /** The table, what is recommended, and lines to paste. */
    public String text() {
        return headline() + "\n" + table() + "\n" + recommendation() + stockLine() + settings();
    }

    private String headline() {
        return String.format(
                Locale.ROOT,
                "%.0f GB of input, %.0f GB of map output; %d hosts%s of %s; costs: %s%n",
                input.job().dataBytes() / GIGA,
                input.job().mapOutputBytes() / GIGA,
                input.hosts().number(),
                plan.extra() ? " and memory nodes beside them" : "",
                Sizes.format(input.hosts().memoryBytes()),
                input.costs().source());
    }

    private String table() {
        final TextTable table =
                new TextTable(
                        "memory nodes",
                        "compute",
                        "placement",
                        "time, s",
                        "maps, s",
                        "rest, s",
                        "in memory, GB",
                        "overflow, GB",
                        "bound by");
        final List<Forecast> rows = plan.bestOfEach();
        final int step = (rows.size() + MOST_ROWS - 1) / MOST_ROWS;
        for (int index = 0; index < rows.size(); index++) {
            final Forecast row = rows.get(index);
            if (index % step == 0 || row.equals(best) || index == rows.size() - 1) {
                table.row(cells(row));
            }
        }
        return table.render();
    }

    private List<String> cells(final Forecast row) {
        final OutputLayout layout = row.layout();
        return List.of(
                row.memoryNodes() + (row.equals(best) ? " *" : ""),
                String.valueOf(row.computing()),
                row.placement().text(),
                layout.fits() ? number(row.seconds()) : "-",
                number(row.phases().get(1).total()),
                number(row.phases().get(2).total()),
                number((layout.tierBytes() + layout.nodeBytes()) / GIGA),
                number(layout.overflowBytes() / GIGA),
                row.bottleneck().label());
    }

    private static String number(final double value) {
        return String.format(Locale.ROOT, value < 10 && value > 0 ? "%.1f" : "%.0f", value);
    }

    private String recommendation() {
        if (!best.layout().fits()) {
            return String.format(
                    Locale.ROOT,
                    "Nothing fits: %.0f GB of map output have no place. Expected a larger"
                            + " --disk-space, a --shared-disk, more --hosts or --memory.%n",
                    best.layout().lostBytes() / GIGA);
        }
        final List<Integer> close = plan.within(CLOSE);
        return String.format(
                Locale.ROOT,
                "Recommended: %s with %d memory node%s, %s s%s.%n",
                best.placement().text(),
                best.memoryNodes(),
                best.memoryNodes() == 1 ? "" : "s",
                number(best.seconds()),
                close.size() < 2
                        ? ""
                        : "; within 5 % of that: "
                                + ranges(close)
                                + ", which the model cannot tell apart");
    }

    private String stockLine() {
        return stock.filter(forecast -> forecast.layout().fits())
                .map(
                        forecast ->
                                String.format(
                                        Locale.ROOT,
                                        "Stock Hadoop with default settings on %d hosts: %s s,"
                                                + " bound by %s.%n",
                                        forecast.computing(),
                                        number(forecast.seconds()),
                                        forecast.bottleneck().label()))
                .orElse("");
    }

    /** Numbers that rise, with runs of neighbours as ranges. */
    static String ranges(final List<Integer> numbers) {
        final List<String> parts = new ArrayList<>();
        int first = 0;
        for (int index = 1; index <= numbers.size(); index++) {
            if (index == numbers.size() || numbers.get(index) != numbers.get(index - 1) + 1) {
                final int from = numbers.get(first);
                final int to = numbers.get(index - 1);
                parts.add(from == to ? String.valueOf(from) : from + " to " + to);
                first = index;
            }
        }
        return String.join(", ", parts);
    }

    private String settings() {
        if (!best.layout().fits()) {
            return "";
        }
        return lines("For jobs", PlanSettings.job(best))
                + lines("On hosts that compute", PlanSettings.computing(input, best))
                + lines("On each memory node", PlanSettings.memoryNode(input, best));
    }

    private static String lines(final String head, final Map<String, String> settings) {
        final StringBuilder text = new StringBuilder();
        settings.forEach(
                (name, value) ->
                        text.append(String.format(Locale.ROOT, "  %-30s %s%n", name, value)));
        return settings.isEmpty() ? "" : head + ":\n" + text;
    }

    /** A line for each placement; nothing where no placement fits. */
    public List<LinePlot> plots() {
        final List<LinePlot.Line> lines = new ArrayList<>();
        for (final Placement placement : Placement.values()) {
            final List<LinePlot.Point> points =
                    plan.forecasts().stream()
                            .filter(forecast -> forecast.placement() == placement)
                            .filter(forecast -> forecast.layout().fits())
                            .map(PlanReport::point)
                            .toList();
            if (!points.isEmpty()) {
                lines.add(
                        new LinePlot.Line(
                                placement.text(), lines.size(), LinePlot.Style.SOLID, points));
            }
        }
        return lines.isEmpty()
                ? List.of()
                : List.of(
                        new LinePlot(
                                "Expected time by memory nodes, "
                                        + input.hosts().number()
                                        + " hosts",
                                "memory nodes",
                                "expected time, s",
                                lines));
    }

    private static LinePlot.Point point(final Forecast forecast) {
        return new LinePlot.Point(forecast.memoryNodes(), forecast.seconds());
    }
}
