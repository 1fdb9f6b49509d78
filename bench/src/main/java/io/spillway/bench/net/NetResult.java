package io.spillway.bench.net;

import io.spillway.bench.BenchException;
import io.spillway.bench.report.LinePlot;
import io.spillway.bench.report.Machine;
import io.spillway.bench.report.TextTable;
import io.spillway.conf.Sizes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * What the network benchmark found. Immutable.
 *
 * @param plan what was to be measured
 * @param rows every sample
 * @param notes why a way is not among them
 * @param fromMemory whether the bytes lay in memory, else in a file
 * @param dataBytes that were fetched again and again
 */
public record NetResult(
        NetPlan plan, List<NetRow> rows, List<String> notes, boolean fromMemory, long dataBytes) {
    private static final double MEGA_PER_GIGA = 1e3;
    private static final double KIBI = 1024;

    /** Copies what is mutable. */
    public NetResult {
        rows = List.copyOf(rows);
        notes = List.copyOf(notes);
    }

    /** The ways of which there are samples, in the order of the plan. */
    List<TransportVariant> ways() {
        return plan.ways().stream()
                .filter(way -> rows.stream().anyMatch(row -> row.way().equals(way)))
                .toList();
    }

    /** The median over the repeats; nothing where there is no sample. */
    OptionalDouble median(
            final TransportVariant way,
            final int bytes,
            final int window,
            final ToDoubleFunction<NetRow> value) {
        final double[] values =
                rows.stream()
                        .filter(row -> row.way().equals(way))
                        .filter(row -> row.bytes() == bytes && row.window() == window)
                        .mapToDouble(value)
                        .filter(number -> !Double.isNaN(number))
                        .sorted()
                        .toArray();
        return values.length == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        (values[values.length / 2] + values[(values.length - 1) / 2]) / 2);
    }

    // ---- text ----------------------------------------------------------------------------------

    /** Tables of latency, bandwidth and CPU, with ratios to what each way is measured against. */
    public String text(final Machine machine) {
        final StringBuilder text = new StringBuilder();
        text.append(headline(machine));
        if (plan.windows().contains(1)) {
            text.append("\nRequest to answer, microseconds (median; 1 in flight)\n\n");
            text.append(table(1, NetRow::medianMicros, false));
        }
        for (final int window : plan.windows()) {
            text.append("\nBandwidth, GB/s (").append(window).append(" in flight)\n\n");
            text.append(table(window, row -> row.megabytesPerSecond() / MEGA_PER_GIGA, true));
        }
        final int window = plan.windows().get(plan.windows().size() - 1);
        text.append("\nCPU of both sides, seconds a GB (").append(window).append(" in flight)\n\n");
        text.append(table(window, NetRow::cpuSecondsPerGigabyte, false));
        text.append(MpiGoals.of(this).map(MpiGoals::text).orElse(""));
        notes.forEach(note -> text.append("\nNot measured: ").append(note));
        return text.append(notes.isEmpty() ? "" : "\n").toString();
    }

    private String headline(final Machine machine) {
        return String.format(
                Locale.ROOT,
                "Two processes; %s from %s into %s; medians of %d; %s, %d cores%n",
                plan.onePlace()
                        ? "one message, again and again,"
                        : Sizes.format(dataBytes) + " of data",
                fromMemory ? "memory" : "a file",
                plan.direct() ? "direct memory" : "arrays",
                plan.repeats(),
                machine.cpu(),
                machine.cores());
    }

    private String table(
            final int window, final ToDoubleFunction<NetRow> value, final boolean moreIsBetter) {
        final List<TransportVariant> ways = ways();
        final List<TransportVariant> compared =
                ways.stream().filter(way -> isCompared(way, ways)).toList();
        final List<String> heads = new ArrayList<>(List.of("message"));
        ways.forEach(way -> heads.add(way.label()));
        compared.forEach(way -> heads.add(way.label() + " : " + way.baseline().label()));
        final TextTable table = new TextTable(heads.toArray(String[]::new));
        for (final int bytes : plan.sizes()) {
            final List<String> cells = new ArrayList<>(List.of(Sizes.format(bytes)));
            ways.forEach(way -> cells.add(number(median(way, bytes, window, value))));
            compared.forEach(way -> cells.add(ratio(way, bytes, window, value)));
            table.row(cells);
        }
        return table.render()
                + (compared.isEmpty()
                        ? ""
                        : "(ratios: " + (moreIsBetter ? "more" : "less") + " is better)\n");
    }

    private static boolean isCompared(
            final TransportVariant way, final List<TransportVariant> ways) {
        return !way.equals(way.baseline())
                && way.kind() != TransportVariant.Kind.PERFTEST
                && ways.contains(way.baseline());
    }

    private String ratio(
            final TransportVariant way,
            final int bytes,
            final int window,
            final ToDoubleFunction<NetRow> value) {
        final OptionalDouble own = median(way, bytes, window, value);
        final OptionalDouble base = median(way.baseline(), bytes, window, value);
        return own.isPresent() && base.isPresent() && base.getAsDouble() > 0
                ? String.format(Locale.ROOT, "%.2f", own.getAsDouble() / base.getAsDouble())
                : "-";
    }

    private static String number(final OptionalDouble value) {
        if (value.isEmpty()) {
            return "-";
        }
        final double number = value.getAsDouble();
        final int digits = Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + digits + "f", number);
    }

    // ---- files ---------------------------------------------------------------------------------

    /**
     * Writes {@code net.csv}, {@code net.txt} and the plots {@code latency} and {@code bandwidth};
     * where mpi was measured also {@code mpi.json}.
     *
     * @return the files
     */
    public List<Path> write(final Path folder, final Machine machine) {
        final List<Path> files = new ArrayList<>();
        files.add(write(folder.resolve("net.csv"), csv()));
        files.add(write(folder.resolve("net.txt"), text(machine)));
        MpiGoals.of(this)
                .ifPresent(goals -> files.add(write(folder.resolve("mpi.json"), goals.json())));
        if (plan.windows().contains(1)) {
            files.addAll(latency().write(folder, "latency"));
        }
        files.addAll(bandwidth().write(folder, "bandwidth"));
        return List.copyOf(files);
    }

    private static Path write(final Path file, final String text) {
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (final IOException e) {
            throw new BenchException("cannot write " + file + ": " + e, e);
        }
    }

    /** Every sample, a line each. */
    String csv() {
        final StringBuilder text = new StringBuilder(NetRow.HEAD).append('\n');
        rows.forEach(row -> text.append(row.text(",")).append('\n'));
        return text.toString();
    }

    private LinePlot latency() {
        return new LinePlot(
                "Request to answer, one in flight",
                "message, KiB",
                "median time, us",
                LinePlot.Axes.LOGARITHMIC,
                lines(1, NetRow::medianMicros));
    }

    private LinePlot bandwidth() {
        final int window = plan.windows().get(plan.windows().size() - 1);
        return new LinePlot(
                "Bandwidth, " + window + " in flight",
                "message, KiB",
                "GB/s",
                LinePlot.Axes.LOGARITHMIC_X,
                lines(window, row -> row.megabytesPerSecond() / MEGA_PER_GIGA));
    }

    /** What is not Spillway's is dotted, in the colour of what is measured against it. */
    private List<LinePlot.Line> lines(final int window, final ToDoubleFunction<NetRow> value) {
        final List<LinePlot.Line> lines = new ArrayList<>();
        for (final TransportVariant way : ways()) {
            final List<LinePlot.Point> points = new ArrayList<>();
            for (final int bytes : plan.sizes().stream().sorted().toList()) {
                median(way, bytes, window, value)
                        .ifPresent(y -> points.add(new LinePlot.Point(bytes / KIBI, y)));
            }
            if (!points.isEmpty()) {
                lines.add(new LinePlot.Line(way.label(), colour(way), style(way), points));
            }
        }
        return lines;
    }

    private int colour(final TransportVariant way) {
        final List<TransportVariant> own =
                plan.ways().stream().filter(w -> style(w) == LinePlot.Style.SOLID).toList();
        final int index = own.stream().map(TransportVariant::baseline).toList().indexOf(way);
        final int colour = style(way) == LinePlot.Style.SOLID ? own.indexOf(way) : index;
        return colour < 0 ? LinePlot.BLACK : colour;
    }

    private static LinePlot.Style style(final TransportVariant way) {
        return way.kind() == TransportVariant.Kind.RAW_TCP || way.kind().isOthers()
                ? LinePlot.Style.DOTTED
                : LinePlot.Style.SOLID;
    }
}
