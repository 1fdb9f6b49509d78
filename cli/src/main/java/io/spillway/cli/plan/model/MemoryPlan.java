// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * What a job takes, for each number of memory nodes and each placement. Immutable.
 *
 * @param input what it was computed from
 * @param extra whether memory nodes come beside the hosts, else out of them
 * @param forecasts of each number of memory nodes, each placement
 */
public record MemoryPlan(PlanInput input, boolean extra, List<Forecast> forecasts) {
    /** Of forecasts that take the same time, the one with the fewest nodes, then the simplest. */
    private static final Comparator<Forecast> BEST_FIRST =
            Comparator.comparingDouble(Forecast::seconds)
                    .thenComparingInt(Forecast::memoryNodes)
                    .thenComparing(Forecast::placement);

    /** Copies what is mutable. */
    public MemoryPlan {
        forecasts = List.copyOf(forecasts);
    }

    /**
     * Computes a plan. A host at least computes.
     *
     * @param most memory nodes
     * @param extra whether memory nodes come beside the hosts, else out of them
     * @param placements that are allowed
     */
    public static MemoryPlan of(
            final PlanInput input,
            final int most,
            final boolean extra,
            final Set<Placement> placements) {
        final int possible = extra ? most : Math.min(most, input.hosts().number() - 1);
        final List<Forecast> all = new ArrayList<>();
        for (int nodes = 0; nodes <= possible; nodes++) {
            final int computing = extra ? input.hosts().number() : input.hosts().number() - nodes;
            for (final Placement placement : Placement.values()) {
                if (placements.contains(placement) && isOne(placement, computing, nodes)) {
                    all.add(PlanModel.forecast(input, placement, computing, nodes));
                }
            }
        }
        if (all.isEmpty()) {
            throw new BadInputException(
                    "--placement "
                            + placements
                            + ": expected one that "
                            + input.hosts().number()
                            + " hosts can have: dedicated needs a memory node, every-node a"
                            + " second host");
        }
        return new MemoryPlan(input, extra, all);
    }

    /** Where no memory node is, auto is local; where one is, local leaves it idle. */
    private static boolean isOne(final Placement placement, final int computing, final int nodes) {
        return switch (placement) {
            case LOCAL, RAMDISK -> nodes == 0;
            case EVERY_NODE -> computing + nodes > 1;
            case DEDICATED, AUTO -> nodes > 0;
        };
    }

    /** The smallest time; with as few memory nodes as that needs. */
    public Forecast best() {
        return forecasts.stream().min(BEST_FIRST).orElseThrow();
    }

    /** The best placement of each number of memory nodes, from the fewest nodes on. */
    public List<Forecast> bestOfEach() {
        return forecasts.stream()
                .mapToInt(Forecast::memoryNodes)
                .distinct()
                .mapToObj(this::bestWith)
                .toList();
    }

    private Forecast bestWith(final int nodes) {
        return forecasts.stream()
                .filter(forecast -> forecast.memoryNodes() == nodes)
                .min(BEST_FIRST)
                .orElseThrow();
    }

    /** The numbers of memory nodes whose best time is at most so much of the best one's. */
    public List<Integer> within(final double factor) {
        final double most = best().seconds() * factor;
        return bestOfEach().stream()
                .filter(forecast -> forecast.seconds() <= most)
                .map(Forecast::memoryNodes)
                .toList();
    }
}
