// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.settings.ShuffleSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Keeps the runs that lie in memory while maps run, and says which to merge next. Owned by the
 * loop's thread.
 *
 * <p>Only neighbours in the order of the maps are merged, so that equal keys stay in that order.
 * Preferred are those that were merged as often: of n segments each record is then merged at most
 * log(n) times, and no more than some runs a level are left. Where maps have come in another order,
 * so that there are many runs and too few of them neighbours, fewer are merged, and of neighbouring
 * levels; each such merge makes the longest of its runs some times as long, which bounds the
 * copying by a logarithm again. Without a combiner merging pays only for many runs. With one it
 * also frees memory, and spares {@code reduce()} work after the last map.
 */
final class MergePolicy {
    /** So many runs are combined: each of several maps' keys is then found some times. */
    private static final int COMBINED_AT_ONCE = 8;

    /** Stock's least number of spills to run a combiner again. */
    private static final int FEWEST_COMBINED = 3;

    /** Fewer runs are combined when they take this part of the budget. */
    private static final int BUDGET_PARTS = 4;

    /** What combining has to leave at most, to go on. */
    private static final double SHRUNK = 0.8;

    /** The fewest neighbours that are merged where there are too few. */
    private static final int FEWEST_MERGED = 8;

    /** Such a merge makes a run at least so many times as long as the longest of its inputs. */
    private static final int GROWTH = 4;

    private static final int GROWTH_COMBINED = 2;

    /** After a look in vain the next one waits for this part of the runs to have come. */
    private static final int RUNS_BEFORE_NEXT_LOOK = 64;

    /**
     * What to merge.
     *
     * @param inputs at least two neighbours, in the order of their maps
     * @param combine whether to run the combiner over them
     * @param level of the run that comes of it
     */
    record Batch(List<MemoryRun> inputs, boolean combine, int level) {
        /** Whether merging fewer of the runs is of use, too. */
        boolean canBeHalved() {
            return combine && inputs.size() >= 2 * 2;
        }

        Batch firstHalf() {
            return new Batch(inputs.subList(0, inputs.size() / 2), combine, level);
        }

        Batch secondHalf() {
            return new Batch(inputs.subList(inputs.size() / 2, inputs.size()), combine, level);
        }

        /** The bytes that the inputs have in memory. */
        long storedLength() {
            return bytesOf(inputs);
        }
    }

    private final int factor;
    private final int combineFactor;
    private final boolean compressed;
    private final boolean onlyIfItShrinks;
    private final long combinedBytes;
    private final RunSequence runs = new RunSequence();
    private boolean combines;

    /** The runs that are to come before the next look. */
    private int toCome;

    /**
     * Creates an empty collection.
     *
     * @param combines whether there is a combiner that shall be used
     */
    MergePolicy(final ShuffleSettings settings, final boolean combines) {
        this.factor = settings.mergeFactor;
        this.combineFactor = Math.min(factor, COMBINED_AT_ONCE);
        this.compressed = settings.compressed;
        this.onlyIfItShrinks = settings.combine.isEmpty();
        this.combinedBytes = settings.budgetBytes / BUDGET_PARTS;
        this.combines = combines;
    }

    /** Adds a run, or places without records. */
    void add(final MemoryRun run) {
        runs.add(run);
        toCome--;
    }

    /** Takes out what is worth to be merged now; null when nothing is. */
    Batch next() {
        if (toCome > 0) {
            return null;
        }
        final List<MemoryRun> inputs = choose();
        if (inputs.isEmpty()) {
            toCome = runs.size() / RUNS_BEFORE_NEXT_LOOK;
            return null;
        }
        runs.remove(inputs);
        return new Batch(inputs, combines, levelAfter(inputs));
    }

    private int levelAfter(final List<MemoryRun> inputs) {
        final int highest = inputs.stream().mapToInt(MemoryRun::level).max().orElseThrow();
        if (combines) {
            return highest + 1;
        }
        // Few segments make no level: else there would be few runs of each and many in all.
        int level = 0;
        for (int n = inputs.stream().mapToInt(MemoryRun::segments).sum(); n >= factor; level++) {
            n /= factor;
        }
        return Math.max(highest, level);
    }

    private List<MemoryRun> choose() {
        final List<List<MemoryRun>> levels = new ArrayList<>();
        runs.stream().filter(this::isMergeable).forEach(run -> levelOf(run, levels).add(run));
        for (int level = 0; level < levels.size(); level++) {
            if (isEnough(levels.get(level))) {
                final List<MemoryRun> chosen = choose(level);
                if (!chosen.isEmpty()) {
                    return chosen;
                }
            }
        }
        return List.of();
    }

    private static List<MemoryRun> levelOf(
            final MemoryRun run, final List<List<MemoryRun>> levels) {
        while (levels.size() <= run.level()) {
            levels.add(new ArrayList<>());
        }
        return levels.get(run.level());
    }

    /** Decompressed early, segments would only take more memory; unless they are combined. */
    private boolean isMergeable(final MemoryRun run) {
        return combines || !compressed || !run.isSegment();
    }

    /** Whether there would be enough runs to merge, were they all neighbours. */
    private boolean isEnough(final List<MemoryRun> some) {
        return combines ? combinable(some) > 0 : some.size() >= factor;
    }

    /** Chooses among a level's runs, or else also among those around them. */
    private List<MemoryRun> choose(final int level) {
        for (final List<MemoryRun> stretch : stretches(run -> run.level() == level)) {
            if (isEnough(stretch)) {
                return stretch.subList(0, combines ? combinable(stretch) : factor);
            }
        }
        List<MemoryRun> longest = List.of();
        for (int highest = level; highest <= level + 1 && longest.isEmpty(); highest++) {
            final int most = highest;
            for (final List<MemoryRun> stretch : stretches(run -> run.level() <= most)) {
                longest = longer(longest, growing(stretch, level));
            }
        }
        return longest;
    }

    private List<List<MemoryRun>> stretches(final Predicate<MemoryRun> condition) {
        return runs.stretches(run -> isMergeable(run) && condition.test(run));
    }

    private static List<MemoryRun> longer(final List<MemoryRun> a, final List<MemoryRun> b) {
        return b.size() > a.size() ? b : a;
    }

    /** As many neighbours as it pays to merge though there are few; none when it does not. */
    private List<MemoryRun> growing(final List<MemoryRun> stretch, final int level) {
        final int most = combines ? combineFactor : factor;
        final int fewest = Math.min(most, combines ? FEWEST_COMBINED : FEWEST_MERGED);
        List<MemoryRun> best = List.of();
        int from = 0;
        while (stretch.size() - from >= fewest) {
            final List<MemoryRun> some =
                    stretch.subList(from, from + Math.min(stretch.size() - from, most));
            final int longest = indexOfLongest(some);
            if (bytesOf(some) >= growth(some) * some.get(longest).storedLength()) {
                final boolean helps = some.stream().anyMatch(run -> run.level() == level);
                best = helps ? longer(best, some) : best;
                from += some.size();
            } else {
                best = longer(best, growing(some.subList(0, longest), level));
                from += longest + 1;
            }
        }
        return best;
    }

    private long growth(final List<MemoryRun> some) {
        return Math.min(some.size(), combines ? GROWTH_COMBINED : GROWTH);
    }

    private static int indexOfLongest(final List<MemoryRun> some) {
        int longest = 0;
        for (int i = 1; i < some.size(); i++) {
            if (some.get(i).storedLength() > some.get(longest).storedLength()) {
                longest = i;
            }
        }
        return longest;
    }

    /**
     * How many runs of one level to combine; 0 for none. What the merge's inputs take is free for
     * fetches again only at its end, so it is not made larger than it has to be.
     */
    private int combinable(final List<MemoryRun> some) {
        final boolean enough =
                some.size() >= combineFactor
                        || (some.size() >= FEWEST_COMBINED && bytesOf(some) >= combinedBytes);
        if (!enough) {
            return 0;
        }
        int count = 0;
        long bytes = 0;
        while (count < some.size()
                && (count < Math.min(combineFactor, FEWEST_COMBINED) || bytes < combinedBytes)) {
            bytes += some.get(count++).storedLength();
        }
        return count;
    }

    private static long bytesOf(final List<MemoryRun> some) {
        return some.stream().mapToLong(MemoryRun::storedLength).sum();
    }

    /** Takes a batch back that could not be merged. */
    void putBack(final Batch batch) {
        batch.inputs().forEach(runs::add);
    }

    /**
     * Learns what combining a whole batch has brought.
     *
     * @return false when combining has just been given up
     */
    boolean combined(final long bytesIn, final long bytesOut) {
        if (onlyIfItShrinks && bytesOut > bytesIn * SHRUNK) {
            combines = false;
        }
        return combines;
    }

    /** Gives up combining. */
    void stopCombining() {
        combines = false;
    }

    /** The runs that are not segments of their own any more, in the order of their maps. */
    List<MemoryRun> mergedRuns() {
        return runs.stream().filter(run -> !run.isSegment()).toList();
    }
}
