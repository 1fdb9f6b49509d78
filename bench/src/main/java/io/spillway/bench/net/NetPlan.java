package io.spillway.bench.net;

import io.spillway.bench.BadInputException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * What to measure. Immutable.
 *
 * @param ways over which
 * @param sizes bytes of a message, multiples of 8
 * @param windows messages in flight
 * @param repeats of everything, at least 1
 * @param seconds about how long all of it is to take, three tenths of it to warm up
 * @param direct whether messages are received into direct memory, else into arrays
 * @param onePlace whether all messages are the same bytes, and go to one place, as those of {@code
 *     ucx_perftest}; else each is another piece of the data, and goes to a place of its own
 */
public record NetPlan(
        List<TransportVariant> ways,
        List<Integer> sizes,
        List<Integer> windows,
        int repeats,
        int seconds,
        boolean direct,
        boolean onePlace) {
    /** The number of arguments that {@link #arguments} gives. */
    static final int PARTS = 7;

    /** The largest message: as much as one fetch can bring. */
    public static final int MOST_BYTES = 16 << 20;

    private static final int MOST_WINDOW = 256;
    private static final int MOST_SECONDS = 86_400;
    private static final int LEAST_SECONDS = 2;
    private static final int WARM_UP_TENTHS = 3;
    private static final long LEAST_SLICE_NANOS = 20_000_000;

    /** Checks every value. */
    public NetPlan {
        ways = List.copyOf(ways);
        sizes = List.copyOf(sizes);
        windows = List.copyOf(windows);
        if (ways.isEmpty() || sizes.isEmpty() || windows.isEmpty()) {
            throw new BadInputException("nothing to measure: expected a way, a size and a window");
        }
        sizes.forEach(size -> require("--sizes", size, Long.BYTES, MOST_BYTES));
        for (final int size : sizes) {
            if (size % Long.BYTES != 0) {
                throw new BadInputException("--sizes " + size + ": expected a multiple of 8");
            }
        }
        windows.forEach(window -> require("--windows", window, 1, MOST_WINDOW));
        require("--repeat", repeats, 1, 1000);
        require("--seconds", seconds, LEAST_SECONDS, MOST_SECONDS);
    }

    private static void require(
            final String option, final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new BadInputException(option + " " + value + ": expected " + min + " to " + max);
        }
    }

    /** How long one sample takes. */
    long sliceNanos() {
        return Math.max(
                LEAST_SLICE_NANOS, (TimeUnit.SECONDS.toNanos(seconds) - warmUp()) / samples());
    }

    /**
     * How long a way of this JVM is used before its first sample: its code is compiled in that
     * time, and what is measured before says more of the compiler than of the way.
     */
    long warmUpNanos() {
        final long own = ways.stream().filter(way -> !way.kind().isOthers()).count();
        return warmUp() / Math.max(1, own);
    }

    private long warmUp() {
        return TimeUnit.SECONDS.toNanos(seconds) * WARM_UP_TENTHS / 10;
    }

    /** The number of samples, where every way can be measured. */
    int samples() {
        return ways.size() * sizes.size() * windows.size() * repeats;
    }

    /** As arguments of a process. */
    List<String> arguments() {
        return List.of(
                ways.stream().map(TransportVariant::label).collect(Collectors.joining(",")),
                joined(sizes),
                joined(windows),
                String.valueOf(repeats),
                String.valueOf(seconds),
                String.valueOf(direct),
                String.valueOf(onePlace));
    }

    private static String joined(final List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Reads what {@link #arguments} gave. */
    static NetPlan parse(final List<String> arguments) {
        return new NetPlan(
                Arrays.stream(arguments.get(0).split(",", -1))
                        .map(TransportVariant::parse)
                        .toList(),
                numbers(arguments.get(1)),
                numbers(arguments.get(2)),
                Integer.parseInt(arguments.get(3)),
                Integer.parseInt(arguments.get(4)),
                Boolean.parseBoolean(arguments.get(5)),
                Boolean.parseBoolean(arguments.get(6)));
    }

    private static List<Integer> numbers(final String text) {
        return Arrays.stream(text.split(",", -1)).map(Integer::parseInt).toList();
    }
}
