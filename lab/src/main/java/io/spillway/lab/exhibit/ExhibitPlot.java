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
            case JOB_TIME -> bars(folder, "time of the job, s");
            case COPY_TIME -> bars(folder, "mean time to copy, s");
            case PHASES -> stacks(folder, "time, s");
            case STAGES -> stacks(folder, "mean time, s");
            case SPILLS -> lines(folder, "map", "spill and merge, s", this::spills);
            case TASKS -> tasks(folder);
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

    private List<Path> bars(final Path folder, final String yAxis) {
        final ExhibitMeasure measure = exhibit.chart().kind().measures().get(0);
        final List<BarPlot.Bars> bars = new ArrayList<>();
        for (final Exhibit.Series series : exhibit.chart().series()) {
            bars.add(
                    new BarPlot.Bars(
                            series.name(),
                            results.measuredPoints().stream()
                                    .map(point -> results.value(point, series, measure))
                                    .toList()));
        }
        final List<String> categories =
                results.measuredPoints().stream().map(results::label).toList();
        return write(folder, new BarPlot(title(), xAxis(), yAxis, categories, bars, false));
    }

    /** Draws a bar of two parts for each point and series. */
    private List<Path> stacks(final Path folder, final String yAxis) {
        final List<String> categories = new ArrayList<>();
        for (final Exhibit.Point point : results.measuredPoints()) {
            for (final Exhibit.Series series : exhibit.chart().series()) {
                categories.add(results.label(point) + ", " + series.name());
            }
        }
        final List<BarPlot.Bars> bars =
                exhibit.chart().kind().measures().stream()
                        .map(measure -> new BarPlot.Bars(measure.words(), values(measure)))
                        .toList();
        return write(folder, new BarPlot(title(), xAxis(), yAxis, categories, bars, true));
    }

    private List<Optional<Spread>> values(final ExhibitMeasure measure) {
        return results.measuredPoints().stream()
                .flatMap(
                        point ->
                                exhibit.chart().series().stream()
                                        .map(series -> results.value(point, series, measure)))
                .toList();
    }

    /** The labels of the points are the paper's: the sizes beside them are those of the runs. */
    private String xAxis() {
        return exhibit.chart().axis() + " (in brackets: the input here)";
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
        for (final Exhibit.Point point : results.measuredPoints()) {
            final List<LinePlot.Line> all = new ArrayList<>();
            for (int i = 0; i < exhibit.chart().series().size(); i++) {
                all.addAll(lines.of(point, exhibit.chart().series().get(i), i));
            }
            final String name =
                    exhibit.chart().points().size() == 1
                            ? exhibit.id()
                            : exhibit.id() + "-" + ExhibitCell.slug(point.label());
            write(folder.resolve(name + ".svg"), results.label(point), xAxis, yAxis, all)
                    .ifPresent(files::add);
        }
        return files;
    }

    private Optional<Path> write(
            final Path file,
            final String what,
            final String xAxis,
            final String yAxis,
            final List<LinePlot.Line> lines) {
        final List<LinePlot.Line> drawn =
                lines.stream().filter(line -> !line.points().isEmpty()).toList();
        if (drawn.isEmpty()) {
            return Optional.empty();
        }
        new LinePlot(title() + ", " + what, xAxis, yAxis, drawn).writeOne(file);
        return Optional.of(file);
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
        return new LinePlot.Line(name, colour, LinePlot.Style.PLAIN, points(samples, value));
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

    /** Draws one plot for each system: steps of several would cover each other. */
    private List<Path> tasks(final Path folder) {
        final List<Path> files = new ArrayList<>();
        for (final Exhibit.Point point : results.measuredPoints()) {
            for (final Exhibit.Series series : exhibit.chart().series()) {
                final JsonNode tasks = firstRun(point, series).at("/stageMillis/tasks");
                final String name = exhibit.id() + "-" + ExhibitCell.slug(series.name());
                write(
                                folder.resolve(name + ".svg"),
                                results.label(point) + ", " + series.name(),
                                "time, s",
                                "running tasks",
                                List.of(running("maps", 0, tasks), running("reduces", 1, tasks)))
                        .ifPresent(files::add);
            }
        }
        return files;
    }

    /** Counts the running tasks, as steps. */
    private static LinePlot.Line running(
            final String name, final int colour, final JsonNode tasks) {
        final boolean maps = name.equals("maps");
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
        return new LinePlot.Line(name, colour, LinePlot.Style.PLAIN, points);
    }
}
