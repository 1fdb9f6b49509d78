package io.spillway.sort;

/**
 * Sorts record references by comparing whole keys: a stable merge sort, O(n log n) whatever the
 * keys. A comparator that breaks its contract gets some order, never an endless loop. One thread.
 */
final class ComparisonSorter {
    private static final int RUN = 8;

    private final KeyOrder order;

    ComparisonSorter(final KeyOrder order) {
        this.order = order;
    }

    /**
     * Sorts entries of two longs by the reference in the second one; overwrites the first ones,
     * which serve as scratch.
     *
     * @param from the first entry
     * @param to the entry after the last one
     */
    void sortEntries(final byte[] data, final long[] entries, final int from, final int to) {
        final int count = to - from;
        final int start = 2 * from;
        for (int i = 0; i < count; i++) {
            entries[start + i] = entries[start + 2 * i + 1];
        }
        sort(data, entries, start, start + count, start + count);
        for (int i = count - 1; i >= 0; i--) {
            entries[start + 2 * i + 1] = entries[start + i];
        }
    }

    /** Sorts {@code refs[from, to)}; from {@code scratch} on lies as much room again. */
    private void sort(
            final byte[] data, final long[] refs, final int from, final int to, final int scratch) {
        for (int start = from; start < to; start += RUN) {
            insertionSort(data, refs, start, Math.min(start + RUN, to));
        }
        for (long width = RUN; width < to - from; width *= 2) {
            for (long start = from; start + width < to; start += 2 * width) {
                final int end = (int) Math.min(to, start + 2 * width);
                merge(data, refs, (int) start, (int) (start + width), end, scratch);
            }
        }
    }

    private void insertionSort(final byte[] data, final long[] refs, final int from, final int to) {
        for (int i = from + 1; i < to; i++) {
            final long moving = refs[i];
            int hole = i;
            while (hole > from && RecordRefs.compareKeys(order, data, refs[hole - 1], moving) > 0) {
                refs[hole] = refs[hole - 1];
                hole--;
            }
            refs[hole] = moving;
        }
    }

    private void merge(
            final byte[] data,
            final long[] refs,
            final int from,
            final int middle,
            final int to,
            final int scratch) {
        if (RecordRefs.compareKeys(order, data, refs[middle - 1], refs[middle]) <= 0) {
            return;
        }
        final int leftEnd = scratch + middle - from;
        System.arraycopy(refs, from, refs, scratch, middle - from);
        int left = scratch;
        int right = middle;
        int out = from;
        while (left < leftEnd && right < to) {
            if (RecordRefs.compareKeys(order, data, refs[left], refs[right]) <= 0) {
                refs[out++] = refs[left++];
            } else {
                refs[out++] = refs[right++];
            }
        }
        System.arraycopy(refs, left, refs, out, leftEnd - left);
    }
}
