// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import io.spillway.cli.failure.CommandException;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
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

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 500;
    private static final int MARKER = 7;

    /** Okabe and Ito's colours, which the colour-blind can tell apart. */
    private static final List<Color> COLOURS =
            List.of(
                    new Color(0x0072B2),
                    new Color(0xD55E00),
                    new Color(0x009E73),
                    new Color(0xCC79A7),
                    new Color(0xE69F00),
                    new Color(0x56B4E9),
                    new Color(0x000000),
                    new Color(0x999999));

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
        final boolean isVector = file.toString().endsWith(".svg");
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            if (isVector) {
                VectorGraphicsEncoder.saveVectorGraphic(
                        chart(), file.toString(), VectorGraphicsFormat.SVG);
                Files.writeString(file, withTexts(Files.readString(file)));
            } else {
                BitmapEncoder.saveBitmap(chart(), file.toString(), BitmapFormat.PNG);
            }
        } catch (final IOException e) {
            throw new CommandException("cannot write " + file + ": " + e, e);
        }
    }

    private XYChart chart() {
        final XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle(xAxis)
                        .yAxisTitle(yAxis)
                        .build();
        style(chart.getStyler());
        lines.forEach(line -> add(chart, line));
        return chart;
    }

    private void style(final XYStyler styler) {
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setLegendBorderColor(Color.WHITE);
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
        final Color colour = COLOURS.get(line.colour() % COLOURS.size());
        series.setLineColor(colour);
        series.setMarkerColor(colour);
        switch (line.style()) {
            case SOLID -> {
                series.setMarker(SeriesMarkers.CIRCLE);
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

    /** XChart draws letters as shapes; searches and screen readers need them as text. */
    private String withTexts(final String svg) {
        final int start = svg.indexOf("<svg");
        final int end = start < 0 ? -1 : svg.indexOf('>', start) + 1;
        if (end <= 0) {
            throw new CommandException("the plot '" + title + "' is not an SVG");
        }
        return svg.substring(0, end) + texts() + svg.substring(end);
    }

    private String texts() {
        final String names = lines.stream().map(LinePlot::describe).collect(Collectors.joining());
        return "<title>"
                + escape(title)
                + "</title><desc>"
                + escape(xAxis + "; " + yAxis + names)
                + "</desc>";
    }

    private static String describe(final Line line) {
        return line.points().stream()
                .map(point -> String.format(Locale.ROOT, " %.4g: %.4g", point.x(), point.y()))
                .collect(Collectors.joining(",", "; " + line.name(), ""));
    }

    private static String escape(final String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
