package io.spillway.bench.net.put;

import io.spillway.bench.BadInputException;
import io.spillway.bench.net.TransportVariant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What to measure. Each round starts both processes anew for every way and every length of pieces.
 * Immutable.
 *
 * @param ways over which: tcp and ucx
 * @param pieces bytes of a piece, which are those of an output's block: powers of two
 * @param rounds of everything, at least 1
 * @param first bytes that are put first, into memory that was never used
 * @param warmUp bytes that are put then
 * @param measured bytes that are put last
 * @param properties settings of the transports
 */
public record PutPlan(
        List<TransportVariant> ways,
        List<Integer> pieces,
        int rounds,
        long first,
        long warmUp,
        long measured,
        Map<String, String> properties) {
    private static final int LEAST_PIECE = 1 << 10;

    /** A map's pieces are no longer. */
    private static final int MOST_PIECE = 64 << 10;

    private static final long LEAST_BYTES = 1 << 20;

    /** Twice as much direct memory is needed at most. */
    private static final long MOST_FIRST = 8L << 30;

    private static final long MOST_BYTES = 1L << 42;
    private static final int MOST_ROUNDS = 1000;

    /** Checks every value. */
    public PutPlan {
        ways = List.copyOf(ways);
        pieces = List.copyOf(pieces);
        properties = Map.copyOf(properties);
        if (ways.isEmpty() || pieces.isEmpty()) {
            throw new BadInputException("nothing to measure: expected a way and a piece");
        }
        for (final TransportVariant way : ways) {
            if (way.kind() != TransportVariant.Kind.TCP
                    && way.kind() != TransportVariant.Kind.UCX) {
                throw new BadInputException(way.label() + ": expected tcp or ucx");
            }
        }
        pieces.forEach(PutPlan::requirePiece);
        require("--rounds", rounds, 1, MOST_ROUNDS);
        require("--first", first, LEAST_BYTES, MOST_FIRST);
        require("--warm-up", warmUp, 0, MOST_BYTES);
        require("--size", measured, LEAST_BYTES, MOST_BYTES);
    }

    private static void requirePiece(final int bytes) {
        if (bytes < LEAST_PIECE || bytes > MOST_PIECE || Integer.bitCount(bytes) != 1) {
            throw new BadInputException(
                    "--pieces " + bytes + ": expected a power of two from 1k to 64k");
        }
    }

    private static void require(
            final String option, final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new BadInputException(option + " " + value + ": expected " + min + " to " + max);
        }
    }

    /** The number of processes that put. */
    int senders() {
        return ways.size() * pieces.size() * rounds;
    }

    /**
     * As arguments of a process.
     *
     * @param way of which
     * @param own arguments of the process, that come first
     */
    List<String> arguments(final TransportVariant way, final List<String> own) {
        final List<String> arguments = new ArrayList<>(own);
        new TreeMap<>(way.settings(properties))
                .forEach((name, value) -> arguments.add(name + "=" + value));
        return arguments;
    }

    /** The properties among the arguments of a process, from one on. */
    static Map<String, String> properties(final List<String> arguments, final int from) {
        final Map<String, String> properties = new TreeMap<>();
        for (final String property : arguments.subList(from, arguments.size())) {
            final int assignment = property.indexOf('=');
            properties.put(property.substring(0, assignment), property.substring(assignment + 1));
        }
        return properties;
    }
}
