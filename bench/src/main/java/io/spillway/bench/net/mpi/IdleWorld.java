package io.spillway.bench.net.mpi;

import io.spillway.bench.BenchException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The CPU of ranks that have nothing to do. Immutable.
 *
 * @param seconds that they were looked at
 * @param percent of a core, by rank
 */
public record IdleWorld(double seconds, List<Double> percent) {
    /** The ranks of the world that is looked at. */
    public static final int RANKS = 4;

    private static final double GOAL = 1;
    private static final long SETTLE_SECONDS = 5;
    private static final double NANOS = 1e9;
    private static final double PERCENT = 100;

    /** Copies what is mutable. */
    public IdleWorld {
        percent = List.copyOf(percent);
    }

    /** Looks at a world for so many seconds, after some in which its JVMs have settled. */
    public static IdleWorld of(final RankWorld world, final int seconds) throws IOException {
        try {
            TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
            final long start = System.nanoTime();
            final List<Long> before = cpu(world);
            TimeUnit.SECONDS.sleep(seconds);
            final double taken = System.nanoTime() - start;
            final List<Long> after = cpu(world);
            final List<Double> percent = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++) {
                percent.add((after.get(rank) - before.get(rank)) / taken * PERCENT);
            }
            return new IdleWorld(taken / NANOS, percent);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    private static List<Long> cpu(final RankWorld world) throws IOException {
        final List<Long> all = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            all.add(world.cpuNanos(rank));
        }
        return all;
    }

    /** A line for each rank, against the goal. */
    public String text() {
        final StringBuilder text =
                new StringBuilder(
                        String.format(
                                Locale.ROOT,
                                "CPU of %d idle ranks over %.0f s, percent of a core%n%n",
                                percent.size(),
                                seconds));
        for (int rank = 0; rank < percent.size(); rank++) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "rank %d: %.3f (goal: less than %.0f; %s)%n",
                            rank,
                            percent.get(rank),
                            GOAL,
                            percent.get(rank) < GOAL ? "reached" : "not reached"));
        }
        return text.toString();
    }
}
