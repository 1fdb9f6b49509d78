package io.spillway.bench.net;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.spillway.bench.BenchException;
import io.spillway.conf.Sizes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * How mpi stands to what the MPI library does by itself, and whose CPU it takes. Immutable.
 *
 * @param goals those that could be measured
 * @param cpu by message size, with the most in flight
 */
record MpiGoals(List<Goal> goals, List<Cpu> cpu) {
    private static final TransportVariant MPI = new TransportVariant(TransportVariant.Kind.MPI);
    private static final int MEBI = 1 << 20;
    private static final int PIECE = 64 << 10;
    private static final int PIECES_IN_FLIGHT = 16;
    private static final double OF_BANDWIDTH = 0.8;
    private static final double OF_BANDWIDTH_OF_PIECES = 0.6;
    private static final double MICROS = 25;

    /**
     * One comparison.
     *
     * @param what is compared, with its unit
     * @param value of mpi against the library
     * @param bound that it is to keep
     * @param isLeast whether the bound is the least, else the most
     * @param isReached whether it keeps it
     */
    record Goal(String what, double value, double bound, boolean isLeast, boolean isReached) {
        static Goal atLeast(final String what, final double value, final double bound) {
            return new Goal(what, value, bound, true, value >= bound);
        }

        static Goal atMost(final String what, final double value, final double bound) {
            return new Goal(what, value, bound, false, value <= bound);
        }

        private String text() {
            return String.format(
                    Locale.ROOT,
                    "%s: %.2f (goal: at %s %.2f; %s)%n",
                    what,
                    value,
                    isLeast ? "least" : "most",
                    bound,
                    isReached ? "reached" : "not reached");
        }
    }

    /** CPU seconds for a gigabyte: of the task, of its host's rank, of the rank that serves. */
    record Cpu(int bytes, int window, double task, double proxy, double server) {
        private String text() {
            return String.format(
                    Locale.ROOT,
                    "%s, %d in flight: %.3f the task, %.3f its rank, %.3f the rank that serves%n",
                    Sizes.format(bytes),
                    window,
                    task,
                    proxy,
                    server);
        }
    }

    /** Copies what is mutable. */
    MpiGoals {
        goals = List.copyOf(goals);
        cpu = List.copyOf(cpu);
    }

    /** Of a result that has mpi. */
    static Optional<MpiGoals> of(final NetResult result) {
        if (!result.ways().contains(MPI)) {
            return Optional.empty();
        }
        return Optional.of(new MpiGoals(goals(result), cpu(result)));
    }

    private static List<Goal> goals(final NetResult result) {
        final List<Goal> goals = new ArrayList<>();
        for (final int window : result.plan().windows()) {
            if (window > 1) {
                ratio(result, MEBI, window)
                        .ifPresent(
                                of ->
                                        goals.add(
                                                Goal.atLeast(
                                                        named("1m", window), of, OF_BANDWIDTH)));
            }
        }
        ratio(result, PIECE, PIECES_IN_FLIGHT)
                .ifPresent(
                        of ->
                                goals.add(
                                        Goal.atLeast(
                                                named("64k", PIECES_IN_FLIGHT),
                                                of,
                                                OF_BANDWIDTH_OF_PIECES)));
        latency(result).ifPresent(goals::add);
        return goals;
    }

    private static String named(final String size, final int window) {
        return "bandwidth of the library's, " + size + ", " + window + " in flight";
    }

    private static OptionalDouble ratio(final NetResult result, final int bytes, final int window) {
        final OptionalDouble own = result.median(MPI, bytes, window, NetRow::megabytesPerSecond);
        final OptionalDouble library =
                result.median(MPI.baseline(), bytes, window, NetRow::megabytesPerSecond);
        return own.isEmpty() || library.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(own.getAsDouble() / library.getAsDouble());
    }

    private static Optional<Goal> latency(final NetResult result) {
        final int least =
                result.plan().sizes().stream().mapToInt(Integer::intValue).min().orElse(0);
        final OptionalDouble own = result.median(MPI, least, 1, NetRow::medianMicros);
        final OptionalDouble library =
                result.median(MPI.baseline(), least, 1, NetRow::medianMicros);
        return own.isEmpty() || library.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        Goal.atMost(
                                "microseconds over the library's, "
                                        + Sizes.format(least)
                                        + ", 1 in flight",
                                own.getAsDouble() - library.getAsDouble(),
                                MICROS));
    }

    private static List<Cpu> cpu(final NetResult result) {
        final List<Cpu> all = new ArrayList<>();
        final int window = result.plan().windows().get(result.plan().windows().size() - 1);
        for (final int bytes : result.plan().sizes()) {
            final OptionalDouble task = median(result, bytes, window, NetRow::clientCpuSeconds);
            if (task.isPresent()) {
                all.add(
                        new Cpu(
                                bytes,
                                window,
                                task.getAsDouble(),
                                median(result, bytes, window, NetRow::proxyCpuSeconds).orElse(0),
                                median(result, bytes, window, NetRow::serverCpuSeconds).orElse(0)));
            }
        }
        return all;
    }

    private static OptionalDouble median(
            final NetResult result,
            final int bytes,
            final int window,
            final ToDoubleFunction<NetRow> seconds) {
        return result.median(
                MPI, bytes, window, row -> row.perGigabyte(seconds.applyAsDouble(row)));
    }

    String text() {
        final StringBuilder text = new StringBuilder("\nmpi against the MPI library\n\n");
        goals.forEach(goal -> text.append(goal.text()));
        text.append("\nCPU of mpi, seconds a GB\n\n");
        cpu.forEach(each -> text.append(each.text()));
        return text.toString();
    }

    String json() {
        final Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("goals", goals);
        tree.put("cpuSecondsPerGigabyte", cpu);
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
