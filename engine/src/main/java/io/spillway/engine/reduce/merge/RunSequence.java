// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Runs in memory in the order of their maps. Two are neighbours when no map lies between them that
 * has records elsewhere or may still bring some; maps known to have none do not separate. Owned by
 * the loop's thread.
 */
final class RunSequence {
    private static final Comparator<MemoryRun> BY_MAP = Comparator.comparingInt(MemoryRun::first);

    /**
     * Sorted and disjoint. An empty run has no empty neighbour and none that could hold its maps.
     */
    private final List<MemoryRun> runs = new ArrayList<>();

    /** Adds a run at its place; an empty one only joins its neighbours. */
    void add(final MemoryRun run) {
        int at = placeOf(run);
        MemoryRun added = run;
        if (at > 0 && runs.get(at - 1).isBefore(added) && mayJoin(runs.get(at - 1), added)) {
            at--;
            added = runs.remove(at).joined(added);
        }
        if (at < runs.size() && added.isBefore(runs.get(at)) && mayJoin(added, runs.get(at))) {
            added = added.joined(runs.remove(at));
        }
        runs.add(at, added);
    }

    private static boolean mayJoin(final MemoryRun a, final MemoryRun b) {
        return a.isEmpty() || b.isEmpty();
    }

    /** Where a run is, or belongs. */
    private int placeOf(final MemoryRun run) {
        int low = 0;
        int high = runs.size();
        while (low < high) {
            final int middle = (low + high) >>> 1;
            if (BY_MAP.compare(runs.get(middle), run) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Takes neighbours out. */
    void remove(final List<MemoryRun> neighbours) {
        final int from = placeOf(neighbours.get(0));
        runs.subList(from, from + neighbours.size()).clear();
    }

    /** The longest lists of neighbours that all satisfy a condition, in their order. */
    List<List<MemoryRun>> stretches(final Predicate<MemoryRun> condition) {
        final List<List<MemoryRun>> stretches = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < runs.size(); i++) {
            final MemoryRun run = runs.get(i);
            final boolean taken = !run.isEmpty() && condition.test(run);
            if (from < i && !(taken && runs.get(i - 1).isBefore(run))) {
                stretches.add(List.copyOf(runs.subList(from, i)));
                from = i;
            }
            if (!taken) {
                from = i + 1;
            }
        }
        if (from < runs.size()) {
            stretches.add(List.copyOf(runs.subList(from, runs.size())));
        }
        return stretches;
    }

    /** Its entries, those of maps without records included. */
    int size() {
        return runs.size();
    }

    /** The runs that have records, in the order of their maps. */
    Stream<MemoryRun> stream() {
        return runs.stream().filter(run -> !run.isEmpty());
    }
}
