// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import io.spillway.cli.failure.CommandException;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Writes charts as files for documents. It needs no display. */
public final class PlotFile {
    /** The width of a chart in pixels. */
    public static final int WIDTH = 1000;

    /** The height of a chart in pixels. */
    public static final int HEIGHT = 500;

    /** The colours of Okabe and Ito, which colour-blind people can distinguish. */
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

    private PlotFile() {}

    /** Returns one of eight colours that are easy to distinguish. */
    public static Color colour(final int number) {
        return COLOURS.get(number % COLOURS.size());
    }

    /** Sets the style that all charts share. */
    public static void style(final Styler styler) {
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setLegendBorderColor(Color.WHITE);
    }

    /**
     * Writes a file whose name ends with {@code .svg} or {@code .png}.
     *
     * @param description of the chart in words, for searches and screen readers, because letters
     *     are drawn as shapes
     */
    public static void write(final Path file, final Chart<?, ?> chart, final String description) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            if (file.toString().endsWith(".svg")) {
                VectorGraphicsEncoder.saveVectorGraphic(
                        chart, file.toString(), VectorGraphicsFormat.SVG);
                Files.writeString(
                        file, withTexts(Files.readString(file), chart.getTitle(), description));
            } else {
                BitmapEncoder.saveBitmap(chart, file.toString(), BitmapFormat.PNG);
            }
        } catch (final IOException e) {
            throw new CommandException("cannot write " + file + ": " + e, e);
        }
    }

    private static String withTexts(
            final String svg, final String title, final String description) {
        final int start = svg.indexOf("<svg");
        final int end = start < 0 ? -1 : svg.indexOf('>', start) + 1;
        if (end <= 0) {
            throw new CommandException("the plot '" + title + "' is not an SVG");
        }
        return svg.substring(0, end)
                + "<title>"
                + escape(title)
                + "</title><desc>"
                + escape(description)
                + "</desc>"
                + rounded(svg.substring(end));
    }

    /** Rounds all numbers to a hundredth of a pixel: files have half the size. */
    private static String rounded(final String svg) {
        return svg.replaceAll("(\\.\\d\\d)\\d+", "$1");
    }

    private static String escape(final String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
