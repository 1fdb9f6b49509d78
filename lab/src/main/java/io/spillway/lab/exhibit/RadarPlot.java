// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.cli.report.PlotFile;
import io.spillway.lab.compare.Spread;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.knowm.xchart.RadarChart;
import org.knowm.xchart.RadarChartBuilder;

/**
 * Draws figure 9(c) of the Lustre paper: on seven axes, the factor by which each system is better
 * than the first. The figures come from other exhibits.
 */
final class RadarPlot {
    private static final List<Axis> AXES =
            List.of(
                    new Axis("data size", "lustre-fig3", ExhibitMeasure.JOB_TIME),
                    new Axis("cluster size", "lustre-fig4", ExhibitMeasure.JOB_TIME),
                    new Axis("CPU", "lustre-fig2", ExhibitMeasure.CPU_TIME),
                    new Axis("memory", "lustre-fig2", ExhibitMeasure.MEMORY_HELD),
                    new Axis("network", "lustre-fig2", ExhibitMeasure.RECEIVED),
                    new Axis("local I/O", "lustre-fig2", ExhibitMeasure.DISK),
                    new Axis("macro benchmarks", "lustre-fig9a", ExhibitMeasure.JOB_TIME));

    private record Axis(String name, String exhibit, ExhibitMeasure measure) {}

    private final Exhibit exhibit;
    private final Function<String, ExhibitResults> resultsOf;

    /**
     * Creates the plot.
     *
     * @param resultsOf finds the results of an exhibit by its id
     */
    RadarPlot(final Exhibit exhibit, final Function<String, ExhibitResults> resultsOf) {
        this.exhibit = exhibit;
        this.resultsOf = resultsOf;
    }

    /** Returns the ids of the exhibits whose runs it shows. */
    static List<String> sources() {
        return AXES.stream().map(Axis::exhibit).distinct().toList();
    }

    /** Writes it as SVG into a folder; writes no file where one of the exhibits has no runs. */
    List<Path> write(final Path folder) {
        final Map<String, double[]> axes = axes();
        final int series = exhibit.chart().series().size();
        if (axes.isEmpty()) {
            return List.of();
        }
        final double most = axes.values().stream().flatMapToDouble(Arrays::stream).max().orElse(1);
        final RadarChart chart =
                new RadarChartBuilder()
                        .width(PlotFile.WIDTH)
                        .height(PlotFile.HEIGHT)
                        .title(exhibit.origin().figure() + ": " + exhibit.origin().title())
                        .build();
        PlotFile.style(chart.getStyler());
        chart.getStyler().setSeriesFilled(false);
        chart.setRadiiLabels(axes.keySet().toArray(String[]::new));
        final StringBuilder words = new StringBuilder();
        for (int i = 0; i < series; i++) {
            final int number = i;
            final double[] ratios =
                    axes.values().stream().mapToDouble(axis -> axis[number]).toArray();
            final String name = exhibit.chart().series().get(i).name();
            chart.addSeries(name, Arrays.stream(ratios).map(ratio -> ratio / most).toArray())
                    .setLineColor(PlotFile.colour(i))
                    .setMarkerColor(PlotFile.colour(i));
            words.append(name).append(ratios(axes.keySet(), ratios));
        }
        final Path file = folder.resolve(exhibit.id() + ".svg");
        PlotFile.write(file, chart, words.toString());
        return List.of(file);
    }

    /**
     * Returns the ratios by axis, as rows of a table; none where one of the exhibits has no runs.
     */
    List<Map<String, Object>> rows() {
        final List<Map<String, Object>> rows = new ArrayList<>();
        axes().forEach(
                        (axis, ratios) ->
                                rows.add(
                                        Map.of(
                                                "point",
                                                axis,
                                                "cells",
                                                Arrays.stream(ratios)
                                                        .mapToObj(RadarPlot::text)
                                                        .toList())));
        return rows;
    }

    private static String text(final double ratio) {
        return String.format(Locale.ROOT, "%.2f", ratio);
    }

    private static String ratios(final Iterable<String> axes, final double[] ratios) {
        final StringBuilder text = new StringBuilder();
        int i = 0;
        for (final String axis : axes) {
            text.append("; " + axis + " " + text(ratios[i++]));
        }
        return text.append(". ").toString();
    }

    /** Returns the ratios by axis; empty where one of the exhibits has no runs. */
    private Map<String, double[]> axes() {
        final Map<String, double[]> all = new LinkedHashMap<>();
        AXES.forEach(axis -> all.put(axis.name(), ratios(axis)));
        final int series = exhibit.chart().series().size();
        return all.values().stream().allMatch(ratios -> ratios.length == series) ? all : Map.of();
    }

    /** The first system's value over that of each, as the mean of all points that have both. */
    private double[] ratios(final Axis axis) {
        final ExhibitResults results = resultsOf.apply(axis.exhibit());
        return exhibit.chart().series().stream()
                .map(
                        series ->
                                results.measuredPoints().stream()
                                        .flatMapToDouble(
                                                point ->
                                                        ratio(
                                                                results,
                                                                point,
                                                                series,
                                                                axis.measure())
                                                                .stream())
                                        .average())
                .flatMapToDouble(OptionalDouble::stream)
                // The more a host receives in a second, the better: not so with other measures.
                .map(ratio -> axis.measure() == ExhibitMeasure.RECEIVED ? 1 / ratio : ratio)
                .toArray();
    }

    private OptionalDouble ratio(
            final ExhibitResults results,
            final Exhibit.Point point,
            final Exhibit.Series series,
            final ExhibitMeasure measure) {
        final Optional<Spread> first =
                results.value(point, exhibit.chart().series().get(0), measure);
        final Optional<Spread> own = results.value(point, series, measure);
        return first.isEmpty() || own.isEmpty() || own.get().median() <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(first.get().median() / own.get().median());
    }
}
