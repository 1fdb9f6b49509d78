// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.util.Arrays;

/**
 * The passes of {@link RecordSorter} over entries: count digits of their prefixes, and bring them
 * to where their digits start. An entry is two longs of an array: a prefix and a {@link RecordRefs
 * reference}; ranges are in entries. Stateless.
 */
final class RadixPasses {
    private RadixPasses() {}

    // ---- partitions ----------------------------------------------------------------------------

    /**
     * Moves entries to where their partitions start; the starts become ends.
     *
     * @param count of the entries, from the first one of {@code source} on
     */
    static void scatterByPartition(
            final long[] source, final int count, final long[] target, final int[] next) {
        for (int i = 0; i < 2 * count; i += 2) {
            final int to = 2 * next[RecordRefs.partition(source[i + 1])]++;
            target[to] = source[i];
            target[to + 1] = source[i + 1];
        }
    }

    /** As scatterByPartition, in place: cycle by cycle. */
    static void permuteByPartition(final long[] a, final int[] next, final int[] starts) {
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

    // ---- digits --------------------------------------------------------------------------------

    /** The bits in which prefixes of a range differ. */
    static long differingBits(final long[] a, final int from, final int to) {
        final long first = a[2 * from];
        long differing = 0;
        for (int i = 2 * from + 2; i < 2 * to; i += 2) {
            differing |= a[i] ^ first;
        }
        return differing;
    }

    /** The number of the lowest bits that hold all differing ones. */
    static int bits(final long differing) {
        return Long.SIZE - Long.numberOfLeadingZeros(differing);
    }

    /** The bits from the highest differing one to the lowest. */
    static int span(final long differing) {
        return bits(differing) - Long.numberOfTrailingZeros(differing);
    }

    /** The bits that numbers below {@code count} need. */
    static int log2Up(final int count) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
    }

    /** Counts the digits of a range. */
    static void countDigits(
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
    static void startsOf(final int[] counts, final int mask, final int from) {
        int start = from;
        for (int digit = 0; digit <= mask; digit++) {
            final int count = counts[digit];
            counts[digit] = start;
            start += count;
        }
    }

    /** Moves entries to where their digits start; the starts become ends. */
    static void scatter(
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
    static void permute(
            final long[] a, final int shift, final int mask, final int[] next, final int to) {
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

    /** Counts two digits of a range in one pass. */
    static void countBothDigits(
            final long[] source,
            final int from,
            final int count,
            final int lowShift,
            final int highShift,
            final int mask,
            final int[] low,
            final int[] high) {
        Arrays.fill(low, 0, mask + 1, 0);
        Arrays.fill(high, 0, mask + 1, 0);
        for (int i = 2 * from; i < 2 * (from + count); i += 2) {
            final long prefix = source[i];
            low[(int) (prefix >>> lowShift) & mask]++;
            high[(int) (prefix >>> highShift) & mask]++;
        }
    }

    // ---- ranges --------------------------------------------------------------------------------

    /** Lets two adjacent ranges of entries change places. */
    static void exchange(final long[] a, final int from, final int middle, final int to) {
        reverse(a, from, middle);
        reverse(a, middle, to);
        reverse(a, from, to);
    }

    private static void reverse(final long[] a, final int from, final int to) {
        for (int i = 2 * from, j = 2 * to - 2; i < j; i += 2, j -= 2) {
            final long prefix = a[i];
            final long ref = a[i + 1];
            a[i] = a[j];
            a[i + 1] = a[j + 1];
            a[j] = prefix;
            a[j + 1] = ref;
        }
    }
}
