// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

/**
 * Sorts record references by comparing whole keys, O(n log n) whatever the keys. Equal keys come as
 * they were emitted. One thread.
 *
 * <p>Every look at a key far away costs a cache miss, so there are few: blocks of neighbouring
 * records that fit the cache are sorted by merging, then all blocks are merged at once by a tree of
 * losers, which looks at each key anew only once. A comparator that breaks its contract gets some
 * order of all records, never an endless loop.
 */
final class ComparisonSorter {
    private static final int RUN = 8;

    /** A multiple of RUN by a power of 2. */
    private static final int BLOCK = 2048;

    /** How many comparisons lie between two signs of life, less one. */
    private static final int PROGRESS_MASK = (1 << 10) - 1;

    private final KeyOrder order;
    private final Runnable progress;
    private int compared;
    private byte[] data;
    private long[] refs;

    /** Each block's next reference, and its end. */
    private int[] heads;

    private int[] ends;

    /** The losing block at each inner node; node n has the children 2n and 2n + 1. */
    private int[] losers;

    ComparisonSorter(final KeyOrder order, final Runnable progress) {
        this.order = order;
        this.progress = progress;
    }

    /**
     * Sorts entries of two longs by the reference in the second one; overwrites the first ones,
     * which serve as scratch.
     *
     * @param from the first entry
     * @param to the entry after the last one
     */
    void sortEntries(final byte[] records, final long[] entries, final int from, final int to) {
        data = records;
        refs = entries;
        final int count = to - from;
        final int start = 2 * from;
        for (int i = 0; i < count; i++) {
            refs[start + i] = refs[start + 2 * i + 1];
        }
        final int end = start + count;
        for (int block = start; block < end; block += BLOCK) {
            sortBlock(block, Math.min(block + BLOCK, end), end);
        }
        if (count > BLOCK) {
            mergeBlocks(start, end);
        }
        for (int i = count - 1; i >= 0; i--) {
            refs[start + 2 * i + 1] = refs[start + i];
        }
        data = null;
        refs = null;
    }

    private boolean isAfter(final long a, final long b) {
        if ((++compared & PROGRESS_MASK) == 0) {
            progress.run();
        }
        return RecordRefs.isAfter(order, data, a, b);
    }

    // ---- inside a block ------------------------------------------------------------------------

    private void sortBlock(final int from, final int to, final int scratch) {
        for (int start = from; start < to; start += RUN) {
            insertionSort(start, Math.min(start + RUN, to));
        }
        for (int width = RUN; width < to - from; width *= 2) {
            for (int start = from; start + width < to; start += 2 * width) {
                merge(start, start + width, Math.min(to, start + 2 * width), scratch);
            }
        }
    }

    private void insertionSort(final int from, final int to) {
        for (int i = from + 1; i < to; i++) {
            final long moving = refs[i];
            int hole = i;
            while (hole > from && isAfter(refs[hole - 1], moving)) {
                refs[hole] = refs[hole - 1];
                hole--;
            }
            refs[hole] = moving;
        }
    }

    private void merge(final int from, final int middle, final int to, final int scratch) {
        if (!isAfter(refs[middle - 1], refs[middle])) {
            return;
        }
        final int leftEnd = scratch + middle - from;
        System.arraycopy(refs, from, refs, scratch, middle - from);
        int left = scratch;
        int right = middle;
        int out = from;
        while (left < leftEnd && right < to) {
            if (isAfter(refs[left], refs[right])) {
                refs[out++] = refs[right++];
            } else {
                refs[out++] = refs[left++];
            }
        }
        System.arraycopy(refs, left, refs, out, leftEnd - left);
    }

    // ---- all blocks ----------------------------------------------------------------------------

    /** Merges into the scratch that follows the references, and copies back. */
    private void mergeBlocks(final int from, final int to) {
        final int count = to - from;
        final int blocks = (count - 1) / BLOCK + 1;
        heads = new int[blocks];
        ends = new int[blocks];
        losers = new int[blocks];
        for (int block = 0; block < blocks; block++) {
            heads[block] = from + block * BLOCK;
            ends[block] = Math.min(to, heads[block] + BLOCK);
        }
        int winner = play(1, blocks);
        for (int out = to; out < to + count; out++) {
            refs[out] = refs[heads[winner]++];
            winner = replay(winner, blocks);
        }
        System.arraycopy(refs, to, refs, from, count);
    }

    /** Plays the whole tree below a node. */
    private int play(final int node, final int blocks) {
        if (node >= blocks) {
            return node - blocks;
        }
        final int left = play(2 * node, blocks);
        final int right = play(2 * node + 1, blocks);
        final boolean rightWins = beats(right, left);
        losers[node] = rightWins ? left : right;
        return rightWins ? right : left;
    }

    /** Plays the way from a block's leaf to the root again. */
    private int replay(final int block, final int blocks) {
        int champion = block;
        for (int node = (block + blocks) >>> 1; node > 0; node >>>= 1) {
            final int other = losers[node];
            if (beats(other, champion)) {
                losers[node] = champion;
                champion = other;
            }
        }
        return champion;
    }

    /** An ended block loses against every other one. */
    private boolean beats(final int a, final int b) {
        if (heads[a] == ends[a]) {
            return false;
        }
        return heads[b] == ends[b] || isAfter(refs[heads[b]], refs[heads[a]]);
    }
}
