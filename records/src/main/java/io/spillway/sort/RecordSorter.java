// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.util.Arrays;

/**
 * Sorts the entries of a {@link SortBuffer} by (partition, key); equal keys come as they were
 * emitted. An entry is two longs: the key's prefix and its {@link RecordRefs reference}. One
 * thread.
 *
 * <p>Entries are first distributed by partition, then by the leading bits in which their prefixes
 * differ until a range fits the cache, which is then sorted by two passes over the next bits. What
 * is still tied is sorted by insertion when it is little, else by the same steps on its lower bits,
 * and when whole prefixes are equal on the next 8 bytes of the keys. Every pass is linear and takes
 * bits away; where keys share more than {@link #MAX_DEPTH} bytes a merge sort takes over: no
 * distribution of keys makes it quadratic or the stack deep.
 *
 * <p>Distributing goes through a scratch array. Ranges larger than it are distributed in place,
 * which takes about twice the time but no memory. All steps but this one leave equal keys in their
 * order; after it they are sorted by their records' offsets.
 */
final class RecordSorter {
    /** Ranges up to this are sorted by insertion. */
    static final int SMALL = 16;

    /** Ranges up to this are sorted inside the cache: 64 KiB of entries, and as much scratch. */
    static final int CACHED = 4096;

    private static final int CACHED_LOG = 12;

    /** More digits than this miss the TLB and the L2 cache at every write. */
    private static final int MAX_DIGIT_BITS = 12;

    private static final int MIN_DIGIT_BITS = 4;

    /** Bits beyond log2(n) that leave few ties among random keys. */
    private static final int SPARE_BITS = 5;

    /** How many ranges are sorted between two signs of life, less one. */
    private static final int PROGRESS_MASK = (1 << 10) - 1;

    /** The content bytes that are sorted by 8 at a time. */
    static final int MAX_DEPTH = 128;

    /** A depth: equal prefixes are equal keys. */
    static final int FINAL = -1;

    /** A depth: prefixes are the offsets of records with equal keys, and never equal. */
    private static final int OFFSETS = -2;

    private final KeyOrder.Strength strength;
    private final Runnable progress;
    private final SortScratch scratch;
    private final ComparisonSorter comparisons;
    private final TiedKeys ties;

    private final long[] cached = new long[2 * CACHED];
    private final int[] lowCounts = new int[1 << MAX_DIGIT_BITS];
    private final int[] highCounts = new int[1 << MAX_DIGIT_BITS];

    /** The ends of the ranges that each level of distribution made. */
    private int[][] ends = new int[4][];

    private int ranges;
    private byte[] data;
    private long[] entries;

    /** How many content bytes equal prefixes decide to begin with, or FINAL when all. */
    private int firstDepth;

    /** Whether entries were distributed in place, so that equal keys may be out of order. */
    private boolean permuted;

    RecordSorter(final KeyOrder order, final int maxScratchEntries) {
        this(order, maxScratchEntries, () -> {});
    }

    /**
     * Creates a sorter.
     *
     * @param progress run every so many steps of a sort, from inside it
     */
    RecordSorter(final KeyOrder order, final int maxScratchEntries, final Runnable progress) {
        this.progress = progress;
        this.strength = order.strength();
        this.scratch = new SortScratch(maxScratchEntries);
        this.comparisons = new ComparisonSorter(order, progress);
        this.ties = new TiedKeys(order, cached);
    }

    /** Frees what only large sorts need. */
    void releaseScratch() {
        scratch.release();
    }

    /** The bytes of heap held. */
    long heapBytes() {
        return Long.BYTES * ((long) scratch.array().length + cached.length);
    }

    /**
     * Sorts entries.
     *
     * @param starts where each partition starts, and last where the last one ends
     */
    void sort(final byte[] records, final long[] unsorted, final int[] starts) {
        data = records;
        entries = unsorted;
        ties.begin(records, unsorted);
        permuted = false;
        final int partitions = starts.length - 1;
        final int count = starts[partitions];
        firstDepth = strength == KeyOrder.Strength.PARTIAL ? ties.skipShared(count) : FINAL;
        scratch.reserve(count, partitions > 1);
        final boolean inScratch = partitions > 1 && distributeByPartition(count, starts);
        for (int p = 0; p < partitions; p++) {
            if (starts[p] < starts[p + 1]) {
                sortPartition(inScratch, starts[p], starts[p + 1]);
            }
        }
        data = null;
        entries = null;
        ties.end();
    }

    private void sortPartition(final boolean inScratch, final int from, final int to) {
        if (strength == KeyOrder.Strength.NONE) {
            bringHome(inScratch, from, to);
            comparisons.sortEntries(data, entries, from, to);
            return;
        }
        sort(inScratch, from, to, firstDepth, 0);
    }

    // ---- by partition --------------------------------------------------------------------------

    /** Returns whether the entries are in the scratch now. */
    private boolean distributeByPartition(final int count, final int[] starts) {
        final int[] next = Arrays.copyOf(starts, starts.length - 1);
        if (2 * count > scratch.array().length) {
            permuted = true;
            RadixPasses.permuteByPartition(entries, next, starts);
            return false;
        }
        RadixPasses.scatterByPartition(entries, count, scratch.array(), next);
        return true;
    }

    // ---- by prefix -----------------------------------------------------------------------------

    /**
     * Sorts a range whose keys agree on the content before their prefixes; it ends in the entries.
     *
     * @param inScratch whether the range is in the scratch, where it then may be overwritten
     * @param depth how many content bytes equal prefixes decide, or FINAL when all
     * @param level how many levels of distribution hold this range
     */
    private void sort(
            final boolean inScratch,
            final int from,
            final int to,
            final int depth,
            final int level) {
        if ((++ranges & PROGRESS_MASK) == 0) {
            progress.run();
        }
        final int count = to - from;
        if (count <= SMALL) {
            bringHome(inScratch, from, to);
            insertionSort(from, to, depth);
            return;
        }
        final int base = inScratch ? scratch.base() : 0;
        final long[] source = inScratch ? scratch.array() : entries;
        final long differing = RadixPasses.differingBits(source, from - base, to - base);
        if (differing == 0) {
            bringHome(inScratch, from, to);
            sortTied(from, to, depth, level);
            return;
        }
        if (count <= CACHED) {
            sortCached(source, from - base, from, to, differing, depth, level);
        } else {
            distribute(inScratch, from, to, differing, depth, level);
        }
    }

    private void bringHome(final boolean inScratch, final int from, final int to) {
        if (inScratch) {
            System.arraycopy(
                    scratch.array(),
                    2 * (from - scratch.base()),
                    entries,
                    2 * from,
                    2 * (to - from));
        }
    }

    // ---- large ranges: distribute by the leading bits ------------------------------------------

    private void distribute(
            final boolean inScratch,
            final int from,
            final int to,
            final long differing,
            final int depth,
            final int level) {
        final int wanted = RadixPasses.log2Up(to - from) - CACHED_LOG + 2;
        final int width =
                Math.min(
                        RadixPasses.span(differing),
                        Math.max(MIN_DIGIT_BITS, Math.min(MAX_DIGIT_BITS, wanted)));
        final int shift = RadixPasses.bits(differing) - width;
        final int mask = (1 << width) - 1;
        final int[] next = endsOf(level);
        final boolean toScratch = !inScratch && scratch.claim(from, to);
        if (inScratch || toScratch) {
            scatter(inScratch, from, to, shift, mask, next);
        } else {
            permute(from, to, shift, mask, next);
        }
        final int base = toScratch ? scratch.base() : 0;
        int start = from;
        for (int digit = 0; digit <= mask; digit++) {
            final int end = next[digit] + base;
            if (start < end) {
                sort(toScratch, start, end, depth, level + 1);
            }
            start = end;
        }
    }

    /** Distributes a range out of the scratch, or into its place there. */
    private void scatter(
            final boolean inScratch,
            final int from,
            final int to,
            final int shift,
            final int mask,
            final int[] next) {
        final long[] room = scratch.array();
        final int roomBase = scratch.base();
        final int fromBase = inScratch ? roomBase : 0;
        final long[] source = inScratch ? room : entries;
        final long[] target = inScratch ? entries : room;
        RadixPasses.countDigits(source, from - fromBase, to - fromBase, shift, mask, next);
        RadixPasses.startsOf(next, mask, inScratch ? from : from - roomBase);
        RadixPasses.scatter(source, from - fromBase, to - fromBase, target, shift, mask, next);
    }

    /** Distributes a range of the entries in place. */
    private void permute(
            final int from, final int to, final int shift, final int mask, final int[] next) {
        permuted = true;
        RadixPasses.countDigits(entries, from, to, shift, mask, next);
        RadixPasses.startsOf(next, mask, from);
        RadixPasses.permute(entries, shift, mask, next, to);
    }

    private int[] endsOf(final int level) {
        if (level == ends.length) {
            ends = Arrays.copyOf(ends, 2 * ends.length);
        }
        if (ends[level] == null) {
            ends[level] = new int[1 << MAX_DIGIT_BITS];
        }
        return ends[level];
    }

    // ---- ranges in the cache: two passes from the lower digit to the higher one ----------------

    private void sortCached(
            final long[] source,
            final int sourceFrom,
            final int from,
            final int to,
            final long differing,
            final int depth,
            final int level) {
        final int count = to - from;
        final int width =
                Math.min(
                        (RadixPasses.log2Up(count) + SPARE_BITS + 1) / 2,
                        (RadixPasses.span(differing) + 1) / 2);
        final int highShift = RadixPasses.bits(differing) - width;
        final int lowShift = Math.max(0, highShift - width);
        final int mask = (1 << width) - 1;
        RadixPasses.countBothDigits(
                source, sourceFrom, count, lowShift, highShift, mask, lowCounts, highCounts);
        RadixPasses.startsOf(lowCounts, mask, 0);
        RadixPasses.startsOf(highCounts, mask, from);
        RadixPasses.scatter(
                source, sourceFrom, sourceFrom + count, cached, lowShift, mask, lowCounts);
        RadixPasses.scatter(cached, 0, count, entries, highShift, mask, highCounts);
        if (lowShift > 0 || depth >= 0 || permuted) {
            sortTies(from, to, lowShift, depth, level);
        }
    }

    /** Sorts the groups that agree in the bits sorted so far. */
    private void sortTies(
            final int from, final int to, final int sortedShift, final int depth, final int level) {
        final long[] a = entries;
        int start = from;
        while (start < to) {
            final long leading = a[2 * start] >>> sortedShift;
            int end = start + 1;
            while (end < to && a[2 * end] >>> sortedShift == leading) {
                end++;
            }
            if (end - start > 1) {
                sort(false, start, end, depth, level);
            }
            start = end;
        }
    }

    // ---- few entries ---------------------------------------------------------------------------

    private void insertionSort(final int from, final int to, final int depth) {
        final long[] a = entries;
        for (int i = 2 * from + 2; i < 2 * to; i += 2) {
            final long prefix = a[i];
            final long ref = a[i + 1];
            int hole = i;
            while (hole > 2 * from && isAfter(a[hole - 2], a[hole - 1], prefix, ref, depth)) {
                a[hole] = a[hole - 2];
                a[hole + 1] = a[hole - 1];
                hole -= 2;
            }
            a[hole] = prefix;
            a[hole + 1] = ref;
        }
    }

    private boolean isAfter(
            final long prefixA,
            final long refA,
            final long prefixB,
            final long refB,
            final int depth) {
        if (prefixA != prefixB) {
            return Long.compareUnsigned(prefixA, prefixB) > 0;
        }
        return ties.isAfter(refA, refB, depth);
    }

    // ---- equal prefixes ------------------------------------------------------------------------

    /** Sorts a group with equal prefixes by what follows them. */
    private void sortTied(final int from, final int to, final int depth, final int level) {
        if ((depth == FINAL && !permuted) || ties.isInOrder(from, to, depth)) {
            return;
        }
        if (depth == FINAL || (permuted && ties.areDecided(from, to))) {
            sortByOffset(from, to, level);
            return;
        }
        if (depth >= MAX_DEPTH) {
            comparisons.sortEntries(data, entries, from, to);
            return;
        }
        final int longer = ties.splitByEnd(from, to, depth);
        if (from < longer) {
            sort(false, from, longer, FINAL, level);
        }
        if (longer < to) {
            sort(false, longer, to, depth + Long.BYTES, level);
        }
    }

    private void sortByOffset(final int from, final int to, final int level) {
        final long[] a = entries;
        for (int i = 2 * from; i < 2 * to; i += 2) {
            a[i] = RecordRefs.offset(a[i + 1]);
        }
        sort(false, from, to, OFFSETS, level);
    }
}
