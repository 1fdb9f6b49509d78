package io.spillway.bench.net.put;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.spillway.bench.BenchException;
import io.spillway.bench.net.TransportVariant;
import io.spillway.bench.report.Machine;
import io.spillway.bench.report.TextTable;
import io.spillway.conf.Sizes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What puts cost. Immutable.
 *
 * @param plan what was to be measured
 * @param rows every sample
 * @param notes why a way is not among them
 */
public record PutResult(PutPlan plan, List<PutRow> rows, List<String> notes) {
    private static final int SCHEMA = 1;

    /** Copies what is mutable. */
    public PutResult {
        rows = List.copyOf(rows);
        notes = List.copyOf(notes);
    }

    /** The median over the rounds; NaN where there is no sample. */
    double median(
            final TransportVariant way,
            final int piece,
            final PutRow.Phase phase,
            final ToDoubleFunction<PutRow> value) {
        final double[] values =
                rows.stream()
                        .filter(row -> row.way().equals(way.label()) && row.piece() == piece)
                        .filter(row -> row.phase() == phase)
                        .mapToDouble(value)
                        .sorted()
                        .toArray();
        return values.length == 0
                ? Double.NaN
                : (values[values.length / 2] + values[(values.length - 1) / 2]) / 2;
    }

    /** A table of CPU and throughput, of medians. */
    public String text(final Machine machine) {
        final StringBuilder text = new StringBuilder();
        text.append(headline(machine)).append('\n');
        final TextTable table =
                new TextTable(
                        "way", "piece", "when", "sender CPU s/GB", "receiver CPU s/GB", "GB/s");
        for (final TransportVariant way : plan.ways()) {
            for (final int piece : plan.pieces()) {
                for (final PutRow.Phase phase : PutRow.Phase.values()) {
                    add(table, way, piece, phase);
                }
            }
        }
        text.append(table.render());
        notes.forEach(note -> text.append("\nNot measured: ").append(note));
        return text.append(notes.isEmpty() ? "" : "\n").toString();
    }

    private String headline(final Machine machine) {
        return String.format(
                Locale.ROOT,
                "Puts between two processes; first %s, then %s after a warm-up of %s;"
                        + " medians of %d; %s, %d cores%n",
                Sizes.format(plan.first()),
                Sizes.format(plan.measured()),
                Sizes.format(plan.warmUp()),
                plan.rounds(),
                machine.cpu(),
                machine.cores());
    }

    private void add(
            final TextTable table,
            final TransportVariant way,
            final int piece,
            final PutRow.Phase phase) {
        final double speed = median(way, piece, phase, PutRow::gigabytesPerSecond);
        if (!Double.isNaN(speed)) {
            table.row(
                    way.label(),
                    Sizes.format(piece),
                    phase.name().toLowerCase(Locale.ROOT),
                    number(median(way, piece, phase, PutRow::senderSecondsPerGigabyte)),
                    number(median(way, piece, phase, PutRow::receiverSecondsPerGigabyte)),
                    number(speed));
        }
    }

    private static String number(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    /**
     * Writes {@code puts.txt} and {@code puts.json}.
     *
     * @return the files
     */
    public List<Path> write(final Path folder, final Machine machine) {
        return List.of(
                write(folder.resolve("puts.txt"), text(machine)),
                write(folder.resolve("puts.json"), json(machine)));
    }

    private static Path write(final Path file, final String text) {
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (final IOException e) {
            throw new BenchException("cannot write " + file + ": " + e, e);
        }
    }

    /** Every sample, and where it is from. */
    String json(final Machine machine) {
        final Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("schema", SCHEMA);
        tree.put("machine", machine);
        tree.put("rounds", plan.rounds());
        tree.put("warmUpBytes", plan.warmUp());
        tree.put("properties", plan.properties());
        tree.put("samples", rows);
        tree.put("notes", notes);
        try {
            return new ObjectMapper()
                            .enable(SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsString(tree)
                    + "\n";
        } catch (final JsonProcessingException e) {
            throw new BenchException("cannot render the result", e);
        }
    }
}
