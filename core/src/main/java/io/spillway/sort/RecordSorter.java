package io.spillway.sort;

import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private static final int SMALL = 16;

    /** Ranges up to this are sorted inside the cache: 64 KiB of entries, and as much scratch. */
    private static final int CACHED = 4096;

    private static final int CACHED_LOG = 12;

    /** More digits than this miss the TLB and the L2 cache at every write. */
    private static final int MAX_DIGIT_BITS = 12;

    private static final int MIN_DIGIT_BITS = 4;

    /** Bits beyond log2(n) that leave few ties among random keys. */
    private static final int SPARE_BITS = 5;

    /** How many ranges are sorted between two signs of life, less one. */
    private static final int PROGRESS_MASK = (1 << 10) - 1;

    /** The content bytes that are sorted by 8 at a time. */
    private static final int MAX_DEPTH = 128;

    /** A depth: equal prefixes are equal keys. */
    private static final int FINAL = -1;

    /** A depth: prefixes are the offsets of records with equal keys, and never equal. */
    private static final int OFFSETS = -2;

    private static final Logger LOG = LoggerFactory.getLogger(RecordSorter.class);

    private static final long[] NOTHING = {};

    private final KeyOrder order;
    private final KeyOrder.Strength strength;
    private final Runnable progress;
    private int maxScratchEntries;
    private final ComparisonSorter comparisons;

    private final long[] cached = new long[2 * CACHED];
    private final int[] lowCounts = new int[1 << MAX_DIGIT_BITS];
    private final int[] highCounts = new int[1 << MAX_DIGIT_BITS];

    /** The ends of the ranges that each level of distribution made. */
    private int[][] ends = new int[4][];

    private int ranges;
    private byte[] data;
    private long[] entries;
    private long[] scratch = NOTHING;

    /** How many content bytes equal prefixes decide to begin with, or FINAL when all. */
    private int firstDepth;

    /** The entry that corresponds to the first one of the scratch. */
    private int scratchBase;

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
        this.order = order;
        this.progress = progress;
        this.strength = order.strength();
        this.maxScratchEntries = Math.max(CACHED, maxScratchEntries);
        this.comparisons = new ComparisonSorter(order, progress);
    }

    /** Frees what only large sorts need. */
    void releaseScratch() {
        scratch = NOTHING;
    }

    /** The bytes of heap held. */
    long heapBytes() {
        return Long.BYTES * ((long) scratch.length + cached.length);
    }

    /**
     * Sorts entries.
     *
     * @param starts where each partition starts, and last where the last one ends
     */
    void sort(final byte[] records, final long[] unsorted, final int[] starts) {
        data = records;
        entries = unsorted;
        permuted = false;
        final int partitions = starts.length - 1;
        final int count = starts[partitions];
        firstDepth = skipSharedContent(count);
        reserveScratch(count, partitions);
        final boolean inScratch = partitions > 1 && distributeByPartition(count, starts);
        for (int p = 0; p < partitions; p++) {
            if (starts[p] < starts[p + 1]) {
                sortPartition(inScratch, starts[p], starts[p + 1]);
            }
        }
        data = null;
        entries = null;
    }

    private void reserveScratch(final int count, final int partitions) {
        final int wanted = Math.min(count, maxScratchEntries);
        final boolean needed = partitions > 1 || count > CACHED;
        if (needed && scratch.length < 2 * wanted) {
            scratch = NOTHING;
            scratch = tryAllocate(wanted);
        }
        scratchBase = 0;
    }

    /** Ranges that do not fit the scratch are distributed in place: slower, but sorted. */
    private long[] tryAllocate(final int wanted) {
        try {
            return new long[2 * wanted];
        } catch (final OutOfMemoryError e) {
            LOG.warn("No heap for scratch of {} records: sorting in place", wanted, e);
            maxScratchEntries = CACHED;
            return new long[2 * Math.min(wanted, CACHED)];
        }
    }

    private void sortPartition(final boolean inScratch, final int from, final int to) {
        if (strength == KeyOrder.Strength.NONE) {
            bringHome(inScratch, from, to);
            comparisons.sortEntries(data, entries, from, to);
            return;
        }
        sort(inScratch, from, to, firstDepth, 0);
    }

    // ---- all entries ---------------------------------------------------------------------------

    /**
     * Where all keys begin with the same 8 bytes (URLs do), goes on to the following ones while the
     * entries are still in the order of their records: later each look at a key is a cache miss.
     *
     * @return how many content bytes equal prefixes decide now, or FINAL when all
     */
    private int skipSharedContent(final int count) {
        if (strength != KeyOrder.Strength.PARTIAL) {
            return FINAL;
        }
        int depth = Long.BYTES;
        while (depth < MAX_DEPTH && allPrefixesEqual(count)) {
            if (!advanceAll(count, depth)) {
                return allOfLength(contentLength(entries[1]), count, depth) ? FINAL : depth;
            }
            depth += Long.BYTES;
        }
        return depth;
    }

    private boolean allPrefixesEqual(final int count) {
        return count > SMALL
                && differingBits(entries, 0, SMALL) == 0
                && differingBits(entries, 0, count) == 0;
    }

    /** Whether the contents end before {@code depth}, all at the same place: then all are equal. */
    private boolean allOfLength(final int length, final int count, final int depth) {
        int i = 0;
        while (length <= depth && i < count && contentLength(entries[2 * i + 1]) == length) {
            i++;
        }
        return i == count;
    }

    /** Advances all entries, or none when the content of one ends before. */
    private boolean advanceAll(final int count, final int depth) {
        final long shared = entries[0];
        for (int i = 0; i < count; i++) {
            if (!advance(i, depth)) {
                for (int j = 0; j < i; j++) {
                    entries[2 * j] = shared;
                    entries[2 * j + 1] = RecordRefs.undecided(entries[2 * j + 1]);
                }
                return false;
            }
        }
        return true;
    }

    /**
     * Gives an entry the 8 bytes of its key's content from {@code depth} on as prefix.
     *
     * @return false when the content ends before
     */
    private boolean advance(final int entry, final int depth) {
        final long ref = entries[2 * entry + 1];
        final int offset = RecordRefs.offset(ref);
        final int keyStart = RecordRefs.keyStart(data, offset);
        final int keyLength = RecordRefs.keyLength(data, offset);
        final int length = order.contentLength(data, keyStart, keyLength);
        if (length <= depth) {
            return false;
        }
        final long chunk = order.chunk(data, keyStart, keyLength, depth);
        entries[2 * entry] = chunk;
        if (RecordRefs.decides(chunk, length - depth)) {
            entries[2 * entry + 1] = RecordRefs.decided(ref);
        }
        return true;
    }

    // ---- by partition --------------------------------------------------------------------------

    /** Returns whether the entries are in the scratch now. */
    private boolean distributeByPartition(final int count, final int[] starts) {
        final int[] next = Arrays.copyOf(starts, starts.length - 1);
        if (2 * count > scratch.length) {
            permuteByPartition(next, starts);
            return false;
        }
        final long[] source = entries;
        final long[] target = scratch;
        for (int i = 0; i < 2 * count; i += 2) {
            final int to = 2 * next[RecordRefs.partition(source[i + 1])]++;
            target[to] = source[i];
            target[to + 1] = source[i + 1];
        }
        return true;
    }

    private void permuteByPartition(final int[] next, final int[] starts) {
        permuted = true;
        final long[] a = entries;
        for (int p = 0; p < next.length; p++) {
            while (next[p] < starts[p + 1]) {
                final int hole = 2 * next[p]++;
                long prefix = a[hole];
                long ref = a[hole + 1];
                int target = RecordRefs.partition(ref);
                while (target != p) {
                    final int to = 2 * next[target]++;
                    final long movedPrefix = a[to];
                    final long movedRef = a[to + 1];
                    a[to] = prefix;
                    a[to + 1] = ref;
                    prefix = movedPrefix;
                    ref = movedRef;
                    target = RecordRefs.partition(ref);
                }
                a[hole] = prefix;
                a[hole + 1] = ref;
            }
        }
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
        final int base = inScratch ? scratchBase : 0;
        final long[] source = inScratch ? scratch : entries;
        final long differing = differingBits(source, from - base, to - base);
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
            System.arraycopy(scratch, 2 * (from - scratchBase), entries, 2 * from, 2 * (to - from));
        }
    }

    private static long differingBits(final long[] a, final int from, final int to) {
        final long first = a[2 * from];
        long differing = 0;
        for (int i = 2 * from + 2; i < 2 * to; i += 2) {
            differing |= a[i] ^ first;
        }
        return differing;
    }

    /** The number of the lowest bits that hold all differing ones. */
    private static int bits(final long differing) {
        return Long.SIZE - Long.numberOfLeadingZeros(differing);
    }

    /** The bits from the highest differing one to the lowest. */
    private static int span(final long differing) {
        return bits(differing) - Long.numberOfTrailingZeros(differing);
    }

    private static int log2Up(final int count) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
    }

    // ---- large ranges: distribute by the leading bits ------------------------------------------

    private void distribute(
            final boolean inScratch,
            final int from,
            final int to,
            final long differing,
            final int depth,
            final int level) {
        final int wanted = log2Up(to - from) - CACHED_LOG + 2;
        final int width =
                Math.min(
                        span(differing),
                        Math.max(MIN_DIGIT_BITS, Math.min(MAX_DIGIT_BITS, wanted)));
        final int shift = bits(differing) - width;
        final int mask = (1 << width) - 1;
        final int[] next = endsOf(level);
        final boolean toScratch;
        if (!inScratch && !claimScratch(from, to)) {
            countDigits(entries, from, to, shift, mask, next);
            startsOf(next, mask, from);
            permute(shift, mask, next, to);
            toScratch = false;
        } else {
            final int fromBase = inScratch ? scratchBase : 0;
            final long[] source = inScratch ? scratch : entries;
            countDigits(source, from - fromBase, to - fromBase, shift, mask, next);
            startsOf(next, mask, inScratch ? from : from - scratchBase);
            scatter(
                    source,
                    from - fromBase,
                    to - fromBase,
                    inScratch ? entries : scratch,
                    shift,
                    mask,
                    next);
            toScratch = !inScratch;
        }
        final int base = toScratch ? scratchBase : 0;
        int start = from;
        for (int digit = 0; digit <= mask; digit++) {
            final int end = next[digit] + base;
            if (start < end) {
                sort(toScratch, start, end, depth, level + 1);
            }
            start = end;
        }
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

    /**
     * Whether the range has its place in the scratch. A range inside one that is spread over the
     * scratch keeps to its own part of it; else the scratch is free and starts with this range.
     */
    private boolean claimScratch(final int from, final int to) {
        final int room = scratch.length / 2;
        if (from >= scratchBase && to - scratchBase <= room) {
            return true;
        }
        if (to - from > room) {
            return false;
        }
        scratchBase = from;
        return true;
    }

    private static void countDigits(
            final long[] a,
            final int from,
            final int to,
            final int shift,
            final int mask,
            final int[] counts) {
        Arrays.fill(counts, 0, mask + 1, 0);
        for (int i = 2 * from; i < 2 * to; i += 2) {
            counts[(int) (a[i] >>> shift) & mask]++;
        }
    }

    /** Turns counts into where each digit's entries start. */
    private static void startsOf(final int[] counts, final int mask, final int from) {
        int start = from;
        for (int digit = 0; digit <= mask; digit++) {
            final int count = counts[digit];
            counts[digit] = start;
            start += count;
        }
    }

    /** Moves entries to where their digits start; the starts become ends. */
    private static void scatter(
            final long[] source,
            final int from,
            final int to,
            final long[] target,
            final int shift,
            final int mask,
            final int[] next) {
        for (int i = 2 * from; i < 2 * to; i += 2) {
            final long prefix = source[i];
            final int at = 2 * next[(int) (prefix >>> shift) & mask]++;
            target[at] = prefix;
            target[at + 1] = source[i + 1];
        }
    }

    /** As scatter, in place: cycle by cycle. */
    private void permute(final int shift, final int mask, final int[] next, final int to) {
        permuted = true;
        final long[] a = entries;
        final int[] starts = Arrays.copyOf(next, mask + 2);
        starts[mask + 1] = to;
        for (int digit = 0; digit <= mask; digit++) {
            while (next[digit] < starts[digit + 1]) {
                final int hole = 2 * next[digit]++;
                long prefix = a[hole];
                long ref = a[hole + 1];
                int target = (int) (prefix >>> shift) & mask;
                while (target != digit) {
                    final int at = 2 * next[target]++;
                    final long movedPrefix = a[at];
                    final long movedRef = a[at + 1];
                    a[at] = prefix;
                    a[at + 1] = ref;
                    prefix = movedPrefix;
                    ref = movedRef;
                    target = (int) (prefix >>> shift) & mask;
                }
                a[hole] = prefix;
                a[hole + 1] = ref;
            }
        }
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
        final int width = Math.min((log2Up(count) + SPARE_BITS + 1) / 2, (span(differing) + 1) / 2);
        final int highShift = bits(differing) - width;
        final int lowShift = Math.max(0, highShift - width);
        final int mask = (1 << width) - 1;
        countBothDigits(source, sourceFrom, count, lowShift, highShift, mask);
        startsOf(lowCounts, mask, 0);
        startsOf(highCounts, mask, from);
        scatter(source, sourceFrom, sourceFrom + count, cached, lowShift, mask, lowCounts);
        scatter(cached, 0, count, entries, highShift, mask, highCounts);
        if (lowShift > 0 || depth >= 0 || permuted) {
            sortTies(from, to, lowShift, depth, level);
        }
    }

    private void countBothDigits(
            final long[] source,
            final int from,
            final int count,
            final int lowShift,
            final int highShift,
            final int mask) {
        final int[] low = lowCounts;
        final int[] high = highCounts;
        Arrays.fill(low, 0, mask + 1, 0);
        Arrays.fill(high, 0, mask + 1, 0);
        for (int i = 2 * from; i < 2 * (from + count); i += 2) {
            final long prefix = source[i];
            low[(int) (prefix >>> lowShift) & mask]++;
            high[(int) (prefix >>> highShift) & mask]++;
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
        return isAfter(refA, refB, depth);
    }

    /** Of two entries with equal prefixes. */
    private boolean isAfter(final long refA, final long refB, final int depth) {
        return (depth == FINAL || RecordRefs.bothDecided(refA, refB))
                ? RecordRefs.isLater(refA, refB)
                : RecordRefs.isAfter(order, data, refA, refB);
    }

    // ---- equal prefixes ------------------------------------------------------------------------

    /** Sorts a group with equal prefixes by what follows them. */
    private void sortTied(final int from, final int to, final int depth, final int level) {
        if ((depth == FINAL && !permuted) || isInOrder(from, to, depth)) {
            return;
        }
        if (depth == FINAL || (permuted && areDecided(from, to))) {
            sortByOffset(from, to, level);
            return;
        }
        if (depth >= MAX_DEPTH) {
            comparisons.sortEntries(data, entries, from, to);
            return;
        }
        final int longer = splitByEnd(from, to, depth);
        if (from < longer) {
            sort(false, from, longer, FINAL, level);
        }
        if (longer < to) {
            sort(false, longer, to, depth + Long.BYTES, level);
        }
    }

    private boolean isInOrder(final int from, final int to, final int depth) {
        final long[] a = entries;
        for (int i = 2 * from + 3; i < 2 * to; i += 2) {
            if (isAfter(a[i - 2], a[i], depth)) {
                return false;
            }
        }
        return true;
    }

    /** Whether keys with equal prefixes are equal, without a look at them. */
    private boolean areDecided(final int from, final int to) {
        int i = from;
        while (i < to && RecordRefs.bothDecided(entries[2 * from + 1], entries[2 * i + 1])) {
            i++;
        }
        return i == to;
    }

    private void sortByOffset(final int from, final int to, final int level) {
        final long[] a = entries;
        for (int i = 2 * from; i < 2 * to; i += 2) {
            a[i] = RecordRefs.offset(a[i + 1]);
        }
        sort(false, from, to, OFFSETS, level);
    }

    /**
     * Brings the keys whose content ends before {@code depth} to the front, with its length as
     * their prefix: they are equal but for zeros at the end, so the shorter comes first. The others
     * get their next 8 bytes as prefix. Both stay in their order.
     *
     * @return where the longer ones start
     */
    private int splitByEnd(final int from, final int to, final int depth) {
        if (to - from <= CACHED) {
            return splitCachedByEnd(from, to, depth);
        }
        final int middle = (from + to) >>> 1;
        final int left = splitByEnd(from, middle, depth);
        final int right = splitByEnd(middle, to, depth);
        if (left < middle && middle < right) {
            exchange(left, middle, right);
        }
        return left + right - middle;
    }

    private int splitCachedByEnd(final int from, final int to, final int depth) {
        final long[] a = entries;
        int ended = from;
        int longer = 0;
        for (int i = from; i < to; i++) {
            final boolean isLonger = advance(i, depth);
            if (isLonger && ended > from) {
                cached[2 * longer] = a[2 * i];
                cached[2 * longer++ + 1] = a[2 * i + 1];
            } else if (!isLonger) {
                if (ended == from) {
                    longer = i - from;
                    System.arraycopy(a, 2 * from, cached, 0, 2 * longer);
                }
                final long ref = a[2 * i + 1];
                a[2 * ended] = contentLength(ref);
                a[2 * ended++ + 1] = ref;
            }
        }
        if (ended > from) {
            System.arraycopy(cached, 0, a, 2 * ended, 2 * longer);
        }
        return ended;
    }

    /** Lets two adjacent ranges of entries change places. */
    private void exchange(final int from, final int middle, final int to) {
        reverse(from, middle);
        reverse(middle, to);
        reverse(from, to);
    }

    private void reverse(final int from, final int to) {
        final long[] a = entries;
        for (int i = 2 * from, j = 2 * to - 2; i < j; i += 2, j -= 2) {
            final long prefix = a[i];
            final long ref = a[i + 1];
            a[i] = a[j];
            a[i + 1] = a[j + 1];
            a[j] = prefix;
            a[j + 1] = ref;
        }
    }

    private int contentLength(final long ref) {
        final int offset = RecordRefs.offset(ref);
        return order.contentLength(
                data, RecordRefs.keyStart(data, offset), RecordRefs.keyLength(data, offset));
    }
}
