package io.spillway.bench.plan.measured;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.bench.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * What a file says of a machine: the JSON of a comparison, {@code puts.json} of bench puts, or
 * {@code net.csv} of bench net. Immutable.
 *
 * @param comparison costs of a job
 * @param put CPU seconds of the side that puts a GB
 * @param take CPU seconds of the side that takes it
 * @param linkRate most bytes a second between two processes, over tcp
 */
public record MeasuredFigures(
        Optional<Calibration> comparison,
        OptionalDouble put,
        OptionalDouble take,
        OptionalDouble linkRate) {
    private static final String NET_HEAD = "way,bytes,window,";
    private static final int NET_RATE = 6;
    private static final double MEGA = 1e6;
    private static final double GIGA = 1e9;

    /**
     * Reads a file of one of the three kinds.
     *
     * @param option which names the file, for errors
     */
    public static MeasuredFigures read(final String option, final Path file) {
        final String text = text(option, file);
        if (text.startsWith(NET_HEAD)) {
            return net(option, file, text.lines().skip(1).toList());
        }
        final JsonNode tree = tree(option, file, text);
        if (CompareFile.isOne(tree)) {
            return new MeasuredFigures(
                    Optional.of(Calibration.of(CompareFile.read(file.toString(), tree))),
                    OptionalDouble.empty(),
                    OptionalDouble.empty(),
                    OptionalDouble.empty());
        }
        if (tree.path("samples").isArray()) {
            return puts(option, file, tree.path("samples"));
        }
        throw new BadInputException(
                option
                        + " "
                        + file
                        + ": expected the JSON of compare, puts.json of bench puts, or net.csv of"
                        + " bench net");
    }

    /** Reads a comparison. */
    static CompareFile comparison(final String option, final Path file) {
        final JsonNode tree = tree(option, file, text(option, file));
        if (!CompareFile.isOne(tree)) {
            throw new BadInputException(option + " " + file + ": expected the JSON of compare");
        }
        return CompareFile.read(file.toString(), tree);
    }

    private static String text(final String option, final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new BadInputException(option + " " + file + ": cannot be read: " + e);
        }
    }

    private static JsonNode tree(final String option, final Path file, final String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (final JsonProcessingException e) {
            throw new BadInputException(
                    option + " " + file + ": expected JSON: " + e.getOriginalMessage());
        }
    }

    /** Medians of tcp's steady samples with the largest pieces. */
    private static MeasuredFigures puts(
            final String option, final Path file, final JsonNode samples) {
        final List<JsonNode> tcp =
                StreamSupport.stream(samples.spliterator(), false)
                        .filter(sample -> sample.path("way").asText().equals("tcp"))
                        .filter(sample -> sample.path("phase").asText().equals("STEADY"))
                        .filter(sample -> sample.path("bytes").asLong() > 0)
                        .toList();
        final int piece = tcp.stream().mapToInt(row -> row.path("piece").asInt()).max().orElse(0);
        final List<JsonNode> rows =
                tcp.stream().filter(row -> row.path("piece").asInt() == piece).toList();
        if (rows.isEmpty()) {
            throw new BadInputException(option + " " + file + ": expected samples of tcp");
        }
        return new MeasuredFigures(
                Optional.empty(),
                OptionalDouble.of(median(rows, row -> perGb(row, "senderCpuSeconds"))),
                OptionalDouble.of(median(rows, row -> perGb(row, "receiverCpuSeconds"))),
                OptionalDouble.empty());
    }

    private static double perGb(final JsonNode row, final String field) {
        return row.path(field).asDouble() * GIGA / row.path("bytes").asLong();
    }

    /** The best of tcp's medians over the repeats of a message's size and a window. */
    private static MeasuredFigures net(
            final String option, final Path file, final List<String> lines) {
        final Map<String, List<Double>> rates =
                lines.stream()
                        .map(line -> line.split(",", -1))
                        .filter(cells -> cells.length > NET_RATE && cells[0].equals("tcp"))
                        .collect(
                                Collectors.groupingBy(
                                        cells -> cells[1] + "," + cells[2],
                                        TreeMap::new,
                                        Collectors.mapping(
                                                cells -> rate(option, file, cells[NET_RATE]),
                                                Collectors.toList())));
        final OptionalDouble best =
                rates.values().stream()
                        .mapToDouble(values -> median(values, Double::doubleValue))
                        .max();
        if (best.isEmpty()) {
            throw new BadInputException(option + " " + file + ": expected rows of tcp");
        }
        return new MeasuredFigures(
                Optional.empty(), OptionalDouble.empty(), OptionalDouble.empty(), best);
    }

    private static double rate(final String option, final Path file, final String text) {
        try {
            return Double.parseDouble(text) * MEGA;
        } catch (final NumberFormatException e) {
            throw new BadInputException(
                    option + " " + file + ": mb_per_second " + text + ": expected a number");
        }
    }

    private static <T> double median(final List<T> rows, final ToDoubleFunction<T> value) {
        final double[] sorted = rows.stream().mapToDouble(value).sorted().toArray();
        final int last = sorted.length - 1;
        return Arrays.stream(new double[] {sorted[last / 2], sorted[(last + 1) / 2]})
                .average()
                .orElseThrow();
    }
}
