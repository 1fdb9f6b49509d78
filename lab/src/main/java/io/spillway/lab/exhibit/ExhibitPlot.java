// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.spillway.cli.report.LinePlot;
import io.spillway.lab.compare.Spread;
import io.spillway.lab.profile.MachineSample;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;

/** Draws the results of an exhibit, with the axes and the series of the paper's figure. */
final class ExhibitPlot {
    private static final double MILLIS = 1e3;

    private final Exhibit exhibit;
    private final ExhibitResults results;

    ExhibitPlot(final Exhibit exhibit, final ExhibitResults results) {
        this.exhibit = exhibit;
        this.results = results;
    }

    /**
     * Writes the plots as SVG into a folder.
     *
     * @return their files; none where nothing was measured
     */
    List<Path> write(final Path folder) {
        if (results.isEmpty()) {
            return List.of();
        }
        return switch (exhibit.chart().kind()) {
            case JOB_TIME -> bars(folder, "time of the job, s", this::jobTime);
            case COPY_TIME -> bars(folder, "mean time to copy, s", this::copyTime);
            case PHASES -> stacks(folder, "time, s", this::mapPhase, this::rest, PHASES);
            case STAGES -> stacks(folder, "mean time, s", this::collect, this::spill, STAGES);
            case SPILLS -> lines(folder, "map", "spill and merge, s", this::spills);
            case TASKS -> lines(folder, "time, s", "running tasks", this::tasks);
            case PROGRESS -> lines(folder, "time, s", "progress, %", this::progress);
            case CPU -> overTime(folder, "processors in use, %", MachineSample::cpuPercent);
            case MEMORY -> overTime(folder, "memory in use, MB", MachineSample::memoryMegabytes);
            case THROUGHPUT ->
                    overTime(folder, "received by a host, MB/s", MachineSample::receivedMegabytes);
            case DISK ->
                    overTime(folder, "disk operations a second", MachineSample::diskOperations);
            case RADAR -> List.of();
        };
    }

    // ---- bars ----------------------------------------------------------------------------------

    private static final List<String> PHASES = List.of("map phase", "last map to end");
    private static final List<String> STAGES = List.of("read, map and collect", "spill and merge");

    private Optional<Spread> jobTime(final Exhibit.Point point, final Exhibit.Series series) {
        return results.value(point, series, "wall_seconds");
    }

    private Optional<Spread> copyTime(final Exhibit.Point point, final Exhibit.Series series) {
        return results.value(point, series, "mean_shuffle_seconds");
    }

    private Optional<Spread> mapPhase(final Exhibit.Point point, final Exhibit.Series series) {
        return results.value(point, series, "map_phase_seconds");
    }

    private Optional<Spread> rest(final Exhibit.Point point, final Exhibit.Series series) {
        return results.value(point, series, "tail_seconds");
    }

    private Optional<Spread> spill(final Exhibit.Point point, final Exhibit.Series series) {
        return results.value(point, series, "spill_and_merge_seconds");
    }

    /** The time of a map without spill and merge, which the logs of all engines have. */
    private Optional<Spread> collect(final Exhibit.Point point, final Exhibit.Series series) {
        final Optional<Spread> all = results.value(point, series, "mean_map_seconds");
        final Optional<Spread> spill = spill(point, series);
        return all.isEmpty() || spill.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        Spread.of(List.of(Math.max(0, all.get().median() - spill.get().median()))));
    }

    private List<Path> bars(
            final Path folder,
            final String yAxis,
            final BiFunction<Exhibit.Point, Exhibit.Series, Optional<Spread>> value) {
        final List<BarPlot.Bars> bars = new ArrayList<>();
        for (final Exhibit.Series series : exhibit.chart().series()) {
            bars.add(
                    new BarPlot.Bars(
                            series.name(),
                            exhibit.chart().points().stream()
                                    .map(point -> value.apply(point, series))
                                    .toList()));
        }
        final List<String> categories =
                exhibit.chart().points().stream().map(Exhibit.Point::label).toList();
        return write(
                folder,
                new BarPlot(title(), exhibit.chart().axis(), yAxis, categories, bars, false));
    }

    /** Draws a bar of two parts for each point and series. */
    private List<Path> stacks(
            final Path folder,
            final String yAxis,
            final BiFunction<Exhibit.Point, Exhibit.Series, Optional<Spread>> lower,
            final BiFunction<Exhibit.Point, Exhibit.Series, Optional<Spread>> upper,
            final List<String> names) {
        final List<String> categories = new ArrayList<>();
        final List<Optional<Spread>> below = new ArrayList<>();
        final List<Optional<Spread>> above = new ArrayList<>();
        for (final Exhibit.Point point : exhibit.chart().points()) {
            for (final Exhibit.Series series : exhibit.chart().series()) {
                categories.add(point.label() + ", " + series.name());
                below.add(lower.apply(point, series));
                above.add(upper.apply(point, series));
            }
        }
        final List<BarPlot.Bars> bars =
                List.of(
                        new BarPlot.Bars(names.get(0), below),
                        new BarPlot.Bars(names.get(1), above));
        return write(
                folder,
                new BarPlot(title(), exhibit.chart().axis(), yAxis, categories, bars, true));
    }

    private List<Path> write(final Path folder, final BarPlot plot) {
        final Path file = folder.resolve(exhibit.id() + ".svg");
        plot.write(file);
        return List.of(file);
    }

    private String title() {
        return exhibit.origin().figure() + ": " + exhibit.origin().title();
    }

    // ---- lines ---------------------------------------------------------------------------------

    private interface Lines {
        List<LinePlot.Line> of(Exhibit.Point point, Exhibit.Series series, int colour);
    }

    /** Draws one plot for each point. */
    private List<Path> lines(
            final Path folder, final String xAxis, final String yAxis, final Lines lines) {
        final List<Path> files = new ArrayList<>();
        final List<Exhibit.Point> points = exhibit.chart().points();
        for (final Exhibit.Point point : points) {
            final List<LinePlot.Line> all = new ArrayList<>();
            for (int i = 0; i < exhibit.chart().series().size(); i++) {
                all.addAll(lines.of(point, exhibit.chart().series().get(i), i));
            }
            all.removeIf(line -> line.points().isEmpty());
            if (all.isEmpty()) {
                continue;
            }
            final String name =
                    points.size() == 1
                            ? exhibit.id()
                            : exhibit.id() + "-" + ExhibitCell.slug(point.label());
            final Path file = folder.resolve(name + ".svg");
            new LinePlot(title() + ", " + point.label(), xAxis, yAxis, all).writeOne(file);
            files.add(file);
        }
        return files;
    }

    private List<Path> overTime(
            final Path folder, final String yAxis, final ToDoubleFunction<MachineSample> value) {
        return lines(
                folder,
                "time, s",
                yAxis,
                (point, series, colour) ->
                        List.of(
                                line(
                                        series.name(),
                                        colour,
                                        results.samples(point, series),
                                        value)));
    }

    private List<LinePlot.Line> progress(
            final Exhibit.Point point, final Exhibit.Series series, final int colour) {
        final List<MachineSample> samples = results.samples(point, series);
        return List.of(
                line(
                        series.name() + ", maps",
                        colour,
                        samples,
                        sample -> sample.progress().mapPercent()),
                new LinePlot.Line(
                        series.name() + ", reduces",
                        colour,
                        LinePlot.Style.BOUND,
                        points(samples, sample -> sample.progress().reducePercent())));
    }

    private static LinePlot.Line line(
            final String name,
            final int colour,
            final List<MachineSample> samples,
            final ToDoubleFunction<MachineSample> value) {
        return new LinePlot.Line(name, colour, LinePlot.Style.SOLID, points(samples, value));
    }

    private static List<LinePlot.Point> points(
            final List<MachineSample> samples, final ToDoubleFunction<MachineSample> value) {
        return samples.stream()
                .map(sample -> new LinePlot.Point(sample.seconds(), value.applyAsDouble(sample)))
                .toList();
    }

    private List<LinePlot.Line> spills(
            final Exhibit.Point point, final Exhibit.Series series, final int colour) {
        final List<LinePlot.Point> points = new ArrayList<>();
        for (final JsonNode millis : firstRun(point, series).at("/mapLogMillis/eachMillis")) {
            points.add(new LinePlot.Point(points.size() + 1.0, millis.asLong() / MILLIS));
        }
        return List.of(new LinePlot.Line(series.name(), colour, LinePlot.Style.SOLID, points));
    }

    private JsonNode firstRun(final Exhibit.Point point, final Exhibit.Series series) {
        return results.runs(point, series).stream().findFirst().orElse(MissingNode.getInstance());
    }

    private List<LinePlot.Line> tasks(
            final Exhibit.Point point, final Exhibit.Series series, final int colour) {
        final JsonNode tasks = firstRun(point, series).at("/stageMillis/tasks");
        return List.of(
                new LinePlot.Line(
                        series.name() + ", maps",
                        colour,
                        LinePlot.Style.SOLID,
                        running(tasks, true)),
                new LinePlot.Line(
                        series.name() + ", reduces",
                        colour,
                        LinePlot.Style.BOUND,
                        running(tasks, false)));
    }

    /** Counts the running tasks, as steps. */
    private static List<LinePlot.Point> running(final JsonNode tasks, final boolean maps) {
        final TreeMap<Long, Integer> changes = new TreeMap<>();
        for (final JsonNode task : tasks) {
            if (task.path("isMap").asBoolean() == maps) {
                changes.merge(task.path("start").asLong(), 1, Integer::sum);
                changes.merge(task.path("end").asLong(), -1, Integer::sum);
            }
        }
        final List<LinePlot.Point> points = new ArrayList<>();
        int now = 0;
        for (final var change : changes.entrySet()) {
            final double seconds = change.getKey() / MILLIS;
            points.add(new LinePlot.Point(seconds, now));
            now += change.getValue();
            points.add(new LinePlot.Point(seconds, now));
        }
        return points;
    }
}
