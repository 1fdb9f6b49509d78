// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.lab.compare.Spread;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Shows what the model expects of an exhibit at the paper's size. Immutable. */
final class ModelTable {
    private static final String UNKNOWN = "–";

    private final Exhibit exhibit;
    private final PaperModel model;

    ModelTable(final Exhibit exhibit, final PaperModel model) {
        this.exhibit = exhibit;
        this.model = model;
    }

    /**
     * Draws the plot into a folder.
     *
     * @return what a page shows; empty where the model does not know the exhibit
     */
    Map<String, Object> write(final Path folder) {
        final BarPlot bars = plot();
        if (bars.bars().isEmpty()) {
            return Map.of();
        }
        final Path plot = folder.resolve(exhibit.id() + "-model.svg");
        bars.write(plot);
        return Map.of(
                "plot", plot.getFileName().toString(),
                "rows", rows(),
                "hosts",
                        model.points().stream()
                                .map(point -> point.label() + ": " + model.scale(point).words())
                                .toList());
    }

    private BarPlot plot() {
        final List<BarPlot.Bars> bars = new ArrayList<>();
        for (final Exhibit.Series series : exhibit.chart().series()) {
            final List<Optional<Spread>> values =
                    model.points().stream().map(point -> value(point, series)).toList();
            if (values.stream().anyMatch(Optional::isPresent)) {
                bars.add(new BarPlot.Bars(series.name(), values));
            }
        }
        return new BarPlot(
                exhibit.origin().title() + ": expected by the model",
                exhibit.chart().axis() == null ? "" : exhibit.chart().axis(),
                "expected time of the job, s",
                model.points().stream().map(Exhibit.Point::label).toList(),
                bars,
                false);
    }

    private Optional<Spread> value(final Exhibit.Point point, final Exhibit.Series series) {
        final OptionalDouble seconds = model.seconds(point, series);
        return seconds.isPresent()
                ? Optional.of(Spread.of(List.of(seconds.getAsDouble())))
                : Optional.empty();
    }

    private List<Map<String, Object>> rows() {
        final List<Map<String, Object>> rows = new ArrayList<>();
        for (final Exhibit.Point point : model.points()) {
            rows.add(
                    Map.of(
                            "point", point.label(),
                            "cells",
                                    exhibit.chart().series().stream()
                                            .map(series -> cell(point, series))
                                            .toList()));
        }
        return rows;
    }

    private String cell(final Exhibit.Point point, final Exhibit.Series series) {
        return value(point, series)
                .map(spread -> String.format(Locale.ROOT, "%.0f s", spread.median()))
                .orElse(UNKNOWN);
    }
}
