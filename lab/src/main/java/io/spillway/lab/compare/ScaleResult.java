// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.report.LinePlot;
import io.spillway.cli.report.LinePlot.Style;
import io.spillway.lab.compare.workload.Workload;
import io.spillway.lab.report.Machine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * One workload at several sizes: how memory and the tail of a job grow with the data. Immutable.
 *
 * @param workload by its name
 * @param reduces number of reducers
 * @param machine that it ran on
 * @param points of each size and engine
 */
public record ScaleResult(String workload, int reduces, Machine machine, List<ScalePoint> points) {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final double GIGA = 1e9;
    private static final double MEGA = 1e6;
    private static final String SIZE_AXIS = "input, GB";

    /** Copies what is mutable. */
    public ScaleResult {
        points = List.copyOf(points);
    }

    /** Nothing yet. */
    public static ScaleResult of(
            final Workload workload, final int reduces, final Machine machine) {
        return new ScaleResult(workload.label(), reduces, machine, List.of());
    }

    /** The same with the points of one size more. */
    public ScaleResult with(final ComparisonResult size) {
        final List<ScalePoint> all = new ArrayList<>(points);
        size.plan().engines().forEach(engine -> all.add(ScalePoint.of(size, engine)));
        all.sort(Comparator.comparingLong(ScalePoint::bytes));
        return new ScaleResult(workload, reduces, machine, all);
    }

    /** Reads what {@link #json} wrote. */
    static ScaleResult parse(final String json) throws JsonProcessingException {
        return MAPPER.readValue(json, ScaleResult.class);
    }

    /** All of it as JSON. */
    public String json() {
        try {
            return MAPPER.writeValueAsString(this) + "\n";
        } catch (final JsonProcessingException e) {
            throw new CommandException("cannot render the sizes of " + workload, e);
        }
    }

    /**
     * Draws a reducer's memory and the job's tail against the size of the input.
     *
     * @return the files: {@code memory} and {@code tail}, each as SVG and PNG
     */
    public List<Path> plot(final Path folder) {
        final List<Path> files = new ArrayList<>();
        memory().ifPresent(plot -> files.addAll(plot.write(folder, "memory")));
        files.addAll(tail().write(folder, "tail"));
        return List.copyOf(files);
    }

    /** Nothing where neither Hadoop nor an engine tells a reducer's memory. */
    private Optional<LinePlot> memory() {
        final List<LinePlot.Line> lines = new ArrayList<>();
        lines.addAll(lines(" physical memory", Style.SOLID, ScalePoint::physicalBytes, MEGA));
        lines.addAll(lines(" shuffle buffer", Style.DOTTED, ScalePoint::bufferBytes, MEGA));
        lines.addAll(sharedOrOwn(lines(" budget", Style.BOUND, ScalePoint::budgetBytes, MEGA)));
        return lines.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new LinePlot(
                                "Peak memory of a reducer: " + title(),
                                SIZE_AXIS,
                                "most of any reducer, MB",
                                lines));
    }

    /** One line where all engines have the same. */
    private static List<LinePlot.Line> sharedOrOwn(final List<LinePlot.Line> budgets) {
        final boolean isShared =
                budgets.stream().map(LinePlot.Line::points).distinct().count() == 1;
        return isShared
                ? List.of(
                        new LinePlot.Line(
                                "budget of the buffer",
                                LinePlot.BLACK,
                                Style.BOUND,
                                budgets.get(0).points()))
                : budgets;
    }

    private LinePlot tail() {
        return new LinePlot(
                "Last map's end to the job's end: " + title(),
                SIZE_AXIS,
                "time, s",
                lines("", Style.SOLID, ScalePoint::tailSeconds, 1));
    }

    /** A line for each engine whose value is known. */
    private List<LinePlot.Line> lines(
            final String what,
            final Style style,
            final Function<ScalePoint, Double> value,
            final double unit) {
        final List<LinePlot.Line> lines = new ArrayList<>();
        final List<String> engines = engines();
        for (int colour = 0; colour < engines.size(); colour++) {
            final String engine = engines.get(colour);
            final List<LinePlot.Point> known = points(engine, value, unit);
            if (!known.isEmpty()) {
                lines.add(new LinePlot.Line(engine + what, colour, style, known));
            }
        }
        return lines;
    }

    private String title() {
        return workload + ", " + reduces + " reducers";
    }

    private List<String> engines() {
        return points.stream().map(ScalePoint::engine).distinct().toList();
    }

    private List<LinePlot.Point> points(
            final String engine, final Function<ScalePoint, Double> value, final double unit) {
        return points.stream()
                .filter(point -> point.engine().equals(engine))
                .filter(point -> Objects.nonNull(value.apply(point)))
                .map(point -> new LinePlot.Point(point.bytes() / GIGA, value.apply(point) / unit))
                .toList();
    }
}
