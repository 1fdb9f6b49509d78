package io.spillway.sort;

import io.spillway.ifile.VInts;

/**
 * Sorts record references by comparing whole keys: a stable merge sort, O(n log n) whatever the
 * keys. A comparator that breaks its contract gets some order, never an endless loop. One thread.
 */
final class ComparisonSorter {
    private static final int RUN = 8;

    private final KeyOrder order;
    private byte[] data;

    ComparisonSorter(final KeyOrder order) {
        this.order = order;
    }

    /**
     * Sorts {@code refs[from, to)}, each with a record's offset in its lower half.
     *
     * @param scratch at least {@code to - from} long
     */
    void sort(
            final byte[] records,
            final long[] refs,
            final int from,
            final int to,
            final long[] scratch) {
        data = records;
        final int count = to - from;
        for (int start = from; start < to; start += RUN) {
            insertionSort(refs, start, Math.min(start + RUN, to));
        }
        for (long width = RUN; width < count; width *= 2) {
            mergePass(refs, from, to, (int) width, scratch);
        }
        data = null;
    }

    private void insertionSort(final long[] refs, final int from, final int to) {
        for (int i = from + 1; i < to; i++) {
            final long moving = refs[i];
            int hole = i;
            while (hole > from && compare(refs[hole - 1], moving) > 0) {
                refs[hole] = refs[hole - 1];
                hole--;
            }
            refs[hole] = moving;
        }
    }

    private void mergePass(
            final long[] refs,
            final int from,
            final int to,
            final int width,
            final long[] scratch) {
        for (long start = from; start + width < to; start += 2L * width) {
            final int middle = (int) start + width;
            final int end = (int) Math.min(to, (long) middle + width);
            if (compare(refs[middle - 1], refs[middle]) > 0) {
                merge(refs, (int) start, middle, end, scratch);
            }
        }
    }

    private void merge(
            final long[] refs,
            final int from,
            final int middle,
            final int to,
            final long[] scratch) {
        final int leftCount = middle - from;
        System.arraycopy(refs, from, scratch, 0, leftCount);
        int left = 0;
        int right = middle;
        int out = from;
        while (left < leftCount && right < to) {
            if (compare(scratch[left], refs[right]) <= 0) {
                refs[out++] = scratch[left++];
            } else {
                refs[out++] = refs[right++];
            }
        }
        System.arraycopy(scratch, left, refs, out, leftCount - left);
    }

    private int compare(final long a, final long b) {
        final int aOffset = (int) a;
        final int bOffset = (int) b;
        final int aValueAt = aOffset + VInts.sizeFromFirstByte(data[aOffset]);
        final int bValueAt = bOffset + VInts.sizeFromFirstByte(data[bOffset]);
        return order.compare(
                data,
                aValueAt + VInts.sizeFromFirstByte(data[aValueAt]),
                VInts.read(data, aOffset),
                data,
                bValueAt + VInts.sizeFromFirstByte(data[bValueAt]),
                VInts.read(data, bOffset));
    }
}
