// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.cli.report.PlotFile;
import io.spillway.lab.compare.Spread;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.CategoryStyler;

/**
 * A chart of bars side by side or stacked, by category. A line on each bar shows the spread of
 * several runs.
 *
 * @param title of the chart
 * @param xAxis the label of the categories
 * @param yAxis the label of the values, with their unit
 * @param categories from left to right
 * @param bars of one colour each
 * @param stacked whether bars of a category are stacked
 */
record BarPlot(
        String title,
        String xAxis,
        String yAxis,
        List<String> categories,
        List<Bars> bars,
        boolean stacked) {
    private static final double FILL = 0.8;
    private static final int MANY_LETTERS = 60;
    private static final int SLANT = 30;

    /**
     * The bars of one colour.
     *
     * @param name in the legend
     * @param values one a category; empty where nothing was measured
     */
    record Bars(String name, List<Optional<Spread>> values) {
        /** Copies what is mutable. */
        Bars {
            values = List.copyOf(values);
        }
    }

    /** Copies what is mutable. */
    BarPlot {
        categories = List.copyOf(categories);
        bars = List.copyOf(bars);
    }

    /** Writes a file whose name ends with {@code .svg} or {@code .png}. */
    void write(final Path file) {
        final CategoryChart chart =
                new CategoryChartBuilder()
                        .width(PlotFile.WIDTH)
                        .height(PlotFile.HEIGHT)
                        .title(title)
                        .xAxisTitle(xAxis)
                        .yAxisTitle(yAxis)
                        .build();
        final CategoryStyler styler = chart.getStyler();
        PlotFile.style(styler);
        styler.setLocale(Locale.ROOT);
        styler.setAvailableSpaceFill(FILL);
        styler.setStacked(stacked);
        styler.setYAxisMin(0.0);
        if (categories.stream().mapToInt(String::length).sum() > MANY_LETTERS) {
            styler.setXAxisLabelRotation(SLANT);
        }
        for (int i = 0; i < bars.size(); i++) {
            add(chart, bars.get(i), i);
        }
        PlotFile.write(file, chart, xAxis + "; " + yAxis + description());
    }

    private void add(final CategoryChart chart, final Bars one, final int number) {
        final List<Double> heights = new ArrayList<>();
        final List<Double> halves = new ArrayList<>();
        for (final Optional<Spread> value : one.values()) {
            heights.add(value.map(Spread::median).orElse(0.0));
            halves.add(value.map(spread -> (spread.max() - spread.min()) / 2).orElse(0.0));
        }
        final boolean spreads = !stacked && halves.stream().anyMatch(half -> half > 0);
        final CategorySeries series =
                spreads
                        ? chart.addSeries(one.name(), categories, heights, halves)
                        : chart.addSeries(one.name(), categories, heights);
        series.setFillColor(PlotFile.colour(number));
    }

    private String description() {
        return bars.stream()
                .map(one -> "; " + one.name() + one.values().stream().map(BarPlot::text).toList())
                .collect(Collectors.joining());
    }

    private static String text(final Optional<Spread> value) {
        return value.map(spread -> String.format(Locale.ROOT, "%.4g", spread.median())).orElse("-");
    }
}
