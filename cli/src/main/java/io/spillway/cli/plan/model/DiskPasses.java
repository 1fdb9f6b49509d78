// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

/**
 * How often the bytes of map outputs on disks are written or read in each phase. Immutable.
 *
 * @param maps of the map phase
 * @param reduces of the rest
 */
record DiskPasses(double maps, double reduces) {
    /** Spillway writes an output once, and reads it once for its reducers. */
    static final DiskPasses ONE = new DiskPasses(1, 1);

    /** {@code mapreduce.map.sort.spill.percent} of {@code mapreduce.task.io.sort.mb}. */
    private static final double SPILL_BYTES = 0.8 * (100 << 20);

    /**
     * A reducer merges to disk when so much of its heap is full: {@code
     * mapreduce.reduce.shuffle.input.buffer.percent} times {@code ...merge.percent}.
     */
    private static final double RUN_SHARE = 0.7 * 0.66;

    /** {@code mapreduce.task.io.sort.factor}. */
    private static final double FACTOR = 10;

    /**
     * The passes of stock Hadoop with its default settings (MapTask.MapOutputBuffer,
     * MergeManagerImpl): a map with more than one spill merges them, and a reducer writes all that
     * it fetches, even what fits into its memory. Reads are from the page cache as far as hosts
     * have memory beside YARN's.
     *
     * @param computing hosts that run tasks
     * @param reduces number of reducers
     * @param early bytes that reducers fetch while maps run
     */
    static DiskPasses ofStock(
            final PlanInput input, final int computing, final int reduces, final double early) {
        final double all = input.job().mapOutputBytes();
        if (all == 0 || reduces == 0) {
            return ONE;
        }
        final double mapMerges = mapMerges(input);
        final double run = RUN_SHARE * input.hosts().heapBytes();
        // The last pass goes to the reducer, not to the disk.
        final double reduceMerges = Math.max(0, merges(all / reduces / run) - 1);
        final double written = 1 + mapMerges + 1 + reduceMerges;
        final double read = uncached(input, computing, all * written);
        final double earlyShare = early / all;
        return new DiskPasses(
                1 + mapMerges * (1 + read) + earlyShare * (1 + read),
                (1 - earlyShare) * (1 + read) + read + reduceMerges * (1 + read));
    }

    /**
     * The passes of Hadoop's sort alone, whose outputs are read once for reducers that write none
     * of it.
     */
    static DiskPasses ofStreamed(final PlanInput input, final int computing) {
        final double mapMerges = mapMerges(input);
        final double written = input.job().mapOutputBytes() * (1 + mapMerges);
        final double read = uncached(input, computing, written);
        return new DiskPasses(1 + mapMerges * (1 + read), read);
    }

    private static double mapMerges(final PlanInput input) {
        return merges(input.job().mapOutputBytes() / input.job().maps() / SPILL_BYTES);
    }

    /** The share of so many written bytes that is read from the disk. */
    private static double uncached(
            final PlanInput input, final int computing, final double written) {
        return written == 0
                ? 0
                : 1 - Math.min(1, computing * HostCapacity.pageCache(input) / written);
    }

    /** Passes that merge so many runs into one: 0 where there is one at most. */
    private static double merges(final double runs) {
        return runs <= 1 ? 0 : Math.max(1, Math.ceil(Math.log(runs) / Math.log(FACTOR)));
    }
}
