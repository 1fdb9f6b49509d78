// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.cli.report.PlotFile;
import io.spillway.lab.compare.Spread;
import io.spillway.lab.profile.MachineSample;
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
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.RadarChart;
import org.knowm.xchart.RadarChartBuilder;

/**
 * Draws figure 9(c) of the Lustre paper: on seven axes, the factor by which each system is better
 * than the first. The figures come from other exhibits.
 */
final class RadarPlot {
    private final Exhibit exhibit;
    private final Function<String, ExhibitResults> resultsOf;
    private final Function<String, Exhibit> exhibitOf;

    /**
     * Creates the plot.
     *
     * @param exhibitOf finds an exhibit by its id
     * @param resultsOf finds the results of an exhibit by its id
     */
    RadarPlot(
            final Exhibit exhibit,
            final Function<String, Exhibit> exhibitOf,
            final Function<String, ExhibitResults> resultsOf) {
        this.exhibit = exhibit;
        this.exhibitOf = exhibitOf;
        this.resultsOf = resultsOf;
    }

    /** Writes it as SVG into a folder; writes no file where one of the exhibits has no runs. */
    List<Path> write(final Path folder) {
        final Map<String, double[]> axes = axes();
        final int series = exhibit.chart().series().size();
        if (axes.values().stream().anyMatch(ratios -> ratios.length < series)) {
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
        chart.setRadiiLabels(axes.keySet().toArray(String[]::new));
        final StringBuilder words = new StringBuilder();
        for (int i = 0; i < series; i++) {
            final int number = i;
            final double[] ratios =
                    axes.values().stream().mapToDouble(axis -> axis[number]).toArray();
            final String name = exhibit.chart().series().get(i).name();
            chart.addSeries(name, Arrays.stream(ratios).map(ratio -> ratio / most).toArray())
                    .setLineColor(PlotFile.colour(i));
            words.append(name).append(ratios(axes.keySet(), ratios));
        }
        final Path file = folder.resolve(exhibit.id() + ".svg");
        PlotFile.write(file, chart, words.toString());
        return List.of(file);
    }

    private static String ratios(final Iterable<String> axes, final double[] ratios) {
        final StringBuilder text = new StringBuilder();
        int i = 0;
        for (final String axis : axes) {
            text.append(String.format(Locale.ROOT, "; %s %.2f", axis, ratios[i++]));
        }
        return text.append(". ").toString();
    }

    private Map<String, double[]> axes() {
        final Map<String, double[]> axes = new LinkedHashMap<>();
        axes.put("data size", times("lustre-fig3", "wall_seconds"));
        axes.put("cluster size", times("lustre-fig4", "wall_seconds"));
        axes.put("CPU", times("lustre-fig2", "cpu_seconds"));
        axes.put("memory", samples("lustre-fig6", sum(MachineSample::memoryMegabytes)));
        axes.put("network", samples("lustre-fig7", RadarPlot::timeOfAMegabyte));
        axes.put("local I/O", samples("lustre-fig8", sum(MachineSample::diskOperations)));
        axes.put("macro benchmarks", times("lustre-fig9a", "wall_seconds"));
        return axes;
    }

    /** The first system's value over that of each, as the mean of all points that have both. */
    private double[] times(final String id, final String key) {
        final ExhibitResults results = resultsOf.apply(id);
        return ratios(id, (point, series) -> results.value(point, series, key).map(Spread::median));
    }

    private static ToDoubleFunction<List<MachineSample>> sum(
            final ToDoubleFunction<MachineSample> value) {
        return samples -> samples.stream().mapToDouble(value).sum();
    }

    /** The inverse of the mean throughput: less is better, as with the other values. */
    private static double timeOfAMegabyte(final List<MachineSample> samples) {
        return samples.size() / sum(MachineSample::receivedMegabytes).applyAsDouble(samples);
    }

    /** The same ratios of a value of all samples of a run. */
    private double[] samples(final String id, final ToDoubleFunction<List<MachineSample>> value) {
        final ExhibitResults results = resultsOf.apply(id);
        return ratios(
                id,
                (point, series) -> {
                    final List<MachineSample> samples = results.samples(point, series);
                    return samples.isEmpty()
                            ? Optional.empty()
                            : Optional.of(value.applyAsDouble(samples));
                });
    }

    @FunctionalInterface
    private interface Values {
        Optional<Double> of(Exhibit.Point point, Exhibit.Series series);
    }

    private double[] ratios(final String id, final Values values) {
        final List<Double> all = new ArrayList<>();
        for (final Exhibit.Series series : exhibit.chart().series()) {
            final OptionalDouble mean =
                    exhibitOf.apply(id).chart().points().stream()
                            .flatMapToDouble(point -> ratio(values, point, series).stream())
                            .average();
            mean.ifPresent(all::add);
        }
        return all.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private OptionalDouble ratio(
            final Values values, final Exhibit.Point point, final Exhibit.Series series) {
        final Optional<Double> first = values.of(point, exhibit.chart().series().get(0));
        final Optional<Double> own = values.of(point, series);
        return first.isEmpty() || own.isEmpty() || own.get() <= 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(first.get() / own.get());
    }
}
