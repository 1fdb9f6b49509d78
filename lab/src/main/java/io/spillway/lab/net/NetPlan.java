// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import io.spillway.cli.failure.BadInputException;
import java.util.List;
import java.util.Map;

/**
 * What to measure. Immutable.
 *
 * @param transports by their names
 * @param sizes bytes of a message, multiples of 8; of a put's piece
 * @param windows messages in flight
 * @param repeats of everything, at least 1
 * @param millis how long a sample takes
 * @param puts whether puts are measured, else fetches
 * @param putBytes what a young process puts; twice that warms it up, and four times that follows
 * @param heap whether messages are received into arrays, else into direct memory
 * @param onePlace whether all messages are the same bytes, and go to one place, as those of {@code
 *     ucx_perftest}; else each is another piece of the data, and goes to a place of its own
 * @param mpirun the launcher of MPI, as {@code Mpirun.find} takes it
 * @param settings of the transports
 */
public record NetPlan(
        List<String> transports,
        List<Long> sizes,
        List<Integer> windows,
        int repeats,
        int millis,
        boolean puts,
        long putBytes,
        boolean heap,
        boolean onePlace,
        String mpirun,
        Map<String, String> settings) {
    static final String TCP = "tcp";
    static final String UCX = "ucx";
    static final String MPI = "mpi";

    /** A map's pieces are no longer. */
    private static final int MOST_PIECE = 64 << 10;

    private static final List<String> KNOWN = List.of(TCP, UCX, MPI);
    private static final int LEAST_PIECE = 1 << 10;
    private static final int MOST_BYTES = BenchData.LENGTH;
    private static final int MOST_WINDOW = 256;
    private static final int MOST_MILLIS = 600_000;

    /** Half as much again is the capacity of a store, all of it direct memory. */
    private static final long MOST_PUT_BYTES = 8L << 30;

    /** Checks every value. */
    public NetPlan {
        transports = List.copyOf(transports);
        sizes = List.copyOf(sizes);
        windows = List.copyOf(windows);
        settings = Map.copyOf(settings);
        if (transports.isEmpty() || !KNOWN.containsAll(transports)) {
            throw new BadInputException(
                    "--transports " + transports + ": expected some of " + KNOWN);
        }
        if (sizes.isEmpty() || windows.isEmpty()) {
            throw new BadInputException("nothing to measure: expected a size and a window");
        }
        sizes.forEach(size -> requireSize(size, puts));
        windows.forEach(window -> require("--windows", window, 1, MOST_WINDOW));
        require("--repeat", repeats, 1, 1000);
        require("--millis", millis, 1, MOST_MILLIS);
        require("--put-bytes", putBytes, 1 << 20, MOST_PUT_BYTES);
    }

    private static void requireSize(final long size, final boolean isPiece) {
        final boolean isGood =
                isPiece
                        ? size >= LEAST_PIECE && size <= MOST_PIECE && Long.bitCount(size) == 1
                        : size >= Long.BYTES && size <= MOST_BYTES && size % Long.BYTES == 0;
        if (!isGood) {
            throw new BadInputException(
                    "--sizes "
                            + size
                            + (isPiece
                                    ? ": expected a power of two from 1k to 64k with --puts"
                                    : ": expected a multiple of 8, up to 16m"));
        }
    }

    private static void require(
            final String option, final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new BadInputException(option + " " + value + ": expected " + min + " to " + max);
        }
    }
}
