package io.spillway.hadoop.reduce;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the runs that lie in memory while maps run, and says which to merge next. Owned by the
 * loop's thread.
 *
 * <p>Runs are merged with others that were merged as often: of n segments each record is merged at
 * most log(n) times, and no more than some runs a level are left. Without a combiner that pays only
 * for many runs. With one it also frees memory, and spares {@code reduce()} work after the last
 * map.
 */
final class MergeLevels {
    /** So many runs are combined: each of several maps' keys is then found some times. */
    private static final int COMBINED_AT_ONCE = 8;

    /** Stock's least number of spills to run a combiner again. */
    private static final int FEWEST_COMBINED = 3;

    /** Fewer runs are combined when they take this part of the budget. */
    private static final int BUDGET_PARTS = 4;

    /** What combining has to leave at most, to go on. */
    private static final double SHRUNK = 0.8;

    /**
     * What to merge.
     *
     * @param inputs at least two runs of one level
     * @param combine whether to run the combiner over them
     */
    record Batch(List<MemoryRun> inputs, boolean combine) {
        /** The level of the run that comes of it. */
        int level() {
            return inputs.get(0).level() + 1;
        }

        /** Whether merging fewer of the runs is of use, too. */
        boolean canBeHalved() {
            return combine && inputs.size() >= 2 * 2;
        }

        Batch firstHalf() {
            return new Batch(inputs.subList(0, inputs.size() / 2), combine);
        }

        Batch secondHalf() {
            return new Batch(inputs.subList(inputs.size() / 2, inputs.size()), combine);
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
    private final List<List<MemoryRun>> levels = new ArrayList<>();
    private boolean combines;

    /**
     * Creates an empty collection.
     *
     * @param combines whether there is a combiner that shall be used
     */
    MergeLevels(final ShuffleSettings settings, final boolean combines) {
        this.factor = settings.mergeFactor < 2 ? Integer.MAX_VALUE : settings.mergeFactor;
        this.combineFactor = Math.min(factor, COMBINED_AT_ONCE);
        this.compressed = settings.compressed;
        this.onlyIfItShrinks = "auto".equals(settings.combine);
        this.combinedBytes = settings.budgetBytes / BUDGET_PARTS;
        this.combines = combines;
    }

    /** Adds a run that has records. */
    void add(final MemoryRun run) {
        while (levels.size() <= run.level()) {
            levels.add(new ArrayList<>());
        }
        levels.get(run.level()).add(run);
    }

    /** Takes out what is worth to be merged now; null when nothing is. */
    Batch next() {
        for (final List<MemoryRun> runs : levels) {
            final int count = combines ? combinable(runs) : mergeable(runs);
            if (count > 1) {
                final List<MemoryRun> first = runs.subList(0, count);
                final Batch batch = new Batch(List.copyOf(first), combines);
                first.clear();
                return batch;
            }
        }
        return null;
    }

    /** How many of a level's runs to merge; 0 for none. */
    private int mergeable(final List<MemoryRun> runs) {
        // Decompressed early, segments would only take more memory.
        final boolean asTheyAre = compressed && !runs.isEmpty() && runs.get(0).isSegment();
        return runs.size() < factor || asTheyAre ? 0 : factor;
    }

    /**
     * How many of a level's runs to combine; 0 for none. What the merge's inputs take is free for
     * fetches again only at its end, so it is not made larger than it has to be.
     */
    private int combinable(final List<MemoryRun> runs) {
        final boolean enough =
                runs.size() >= combineFactor
                        || (runs.size() >= FEWEST_COMBINED && bytesOf(runs) >= combinedBytes);
        if (!enough) {
            return 0;
        }
        int count = 0;
        long bytes = 0;
        while (count < runs.size()
                && (count < Math.min(combineFactor, FEWEST_COMBINED) || bytes < combinedBytes)) {
            bytes += runs.get(count++).storedLength();
        }
        return count;
    }

    private static long bytesOf(final List<MemoryRun> runs) {
        return runs.stream().mapToLong(MemoryRun::storedLength).sum();
    }

    /** Takes a batch back that could not be merged. */
    void putBack(final Batch batch) {
        levels.get(batch.level() - 1).addAll(0, batch.inputs());
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

    /** The runs that are not segments of their own any more. */
    List<MemoryRun> mergedRuns() {
        return levels.stream().flatMap(List::stream).filter(run -> !run.isSegment()).toList();
    }
}
