// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import java.awt.Color;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Lines over one axis, both from 0, as files for a document. Needs no display. Immutable.
 *
 * @param title what it shows
 * @param xAxis with its unit
 * @param yAxis with its unit
 * @param lines at least one, each with at least one point
 */
public record LinePlot(String title, String xAxis, String yAxis, List<Line> lines) {
    /** The number of black among the colours, for what is of no engine. */
    public static final int BLACK = 6;

    private static final int MARKER = 7;

    /** Copies what is mutable, and insists on something to draw. */
    public LinePlot {
        lines = List.copyOf(lines);
        if (lines.isEmpty() || lines.stream().anyMatch(line -> line.points().isEmpty())) {
            throw new IllegalArgumentException(
                    "lines=" + lines + ": expected at least one, each with at least one point");
        }
    }

    /** How a line is drawn, so that those of one colour can be told apart. */
    public enum Style {
        /** Solid, with circles. */
        SOLID,
        /** Solid, without marks: many samples. */
        PLAIN,
        /** Dotted, with squares. */
        DOTTED,
        /** Dashed, without marks: a limit. */
        BOUND
    }

    /**
     * One line.
     *
     * @param name in the legend
     * @param colour lines of the same number have the same colour
     * @param style how it is drawn
     * @param points from left to right
     */
    public record Line(String name, int colour, Style style, List<Point> points) {
        /** Copies what is mutable. */
        public Line {
            points = List.copyOf(points);
        }
    }

    /** A measured point. */
    public record Point(double x, double y) {}

    /**
     * Writes {@code name.svg} and {@code name.png} into a folder.
     *
     * @return both files
     */
    public List<Path> write(final Path folder, final String name) {
        final Path svg = folder.resolve(name + ".svg");
        final Path png = folder.resolve(name + ".png");
        writeOne(svg);
        writeOne(png);
        return List.of(svg, png);
    }

    /** Writes a file whose name ends with {@code .svg} or {@code .png}. */
    public void writeOne(final Path file) {
        PlotFile.write(file, chart(), description());
    }

    private XYChart chart() {
        final XYChart chart =
                new XYChartBuilder()
                        .width(PlotFile.WIDTH)
                        .height(PlotFile.HEIGHT)
                        .title(title)
                        .xAxisTitle(xAxis)
                        .yAxisTitle(yAxis)
                        .build();
        style(chart.getStyler());
        lines.forEach(line -> add(chart, line));
        return chart;
    }

    private void style(final XYStyler styler) {
        PlotFile.style(styler);
        styler.setLocale(Locale.ROOT);
        styler.setXAxisMin(0.0);
        styler.setYAxisMin(0.0);
        styler.setMarkerSize(MARKER);
    }

    private static void add(final XYChart chart, final Line line) {
        final XYSeries series =
                chart.addSeries(
                        line.name(),
                        line.points().stream().mapToDouble(Point::x).toArray(),
                        line.points().stream().mapToDouble(Point::y).toArray());
        final Color colour = PlotFile.colour(line.colour());
        series.setLineColor(colour);
        series.setMarkerColor(colour);
        switch (line.style()) {
            case SOLID -> {
                series.setMarker(SeriesMarkers.CIRCLE);
                series.setLineStyle(SeriesLines.SOLID);
            }
            case PLAIN -> {
                series.setMarker(SeriesMarkers.NONE);
                series.setLineStyle(SeriesLines.SOLID);
            }
            case DOTTED -> {
                series.setMarker(SeriesMarkers.SQUARE);
                series.setLineStyle(SeriesLines.DOT_DOT);
            }
            case BOUND -> {
                series.setMarker(SeriesMarkers.NONE);
                series.setLineStyle(SeriesLines.DASH_DASH);
            }
        }
    }

    private String description() {
        final String names = lines.stream().map(LinePlot::describe).collect(Collectors.joining());
        return xAxis + "; " + yAxis + names;
    }

    private static String describe(final Line line) {
        return line.points().stream()
                .map(point -> String.format(Locale.ROOT, " %.4g: %.4g", point.x(), point.y()))
                .collect(Collectors.joining(",", "; " + line.name(), ""));
    }
}
