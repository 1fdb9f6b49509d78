// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

/**
 * Entries whose prefixes are equal: compares what follows the prefixes of their keys, and gives
 * them the next 8 bytes of it as prefix. Belongs to one {@link RecordSorter}, and is used by its
 * thread.
 */
final class TiedKeys {
    private final KeyOrder order;

    /** Room for {@link RecordSorter#CACHED} entries. */
    private final long[] cached;

    private byte[] data;
    private long[] entries;

    /**
     * Creates it.
     *
     * @param cached scratch for as many entries as fit the cache, which nothing else is in while a
     *     method of this object runs
     */
    TiedKeys(final KeyOrder order, final long[] cached) {
        this.order = order;
        this.cached = cached;
    }

    /** A sort of these records and entries begins. */
    void begin(final byte[] records, final long[] unsorted) {
        data = records;
        entries = unsorted;
    }

    /** It has ended. */
    void end() {
        data = null;
        entries = null;
    }

    /** Whether the first of two entries with equal prefixes comes after the second one. */
    boolean isAfter(final long refA, final long refB, final int depth) {
        return (depth == RecordSorter.FINAL || RecordRefs.bothDecided(refA, refB))
                ? RecordRefs.isLater(refA, refB)
                : RecordRefs.isAfter(order, data, refA, refB);
    }

    /** Whether a range of equal prefixes needs no sorting. */
    boolean isInOrder(final int from, final int to, final int depth) {
        final long[] a = entries;
        for (int i = 2 * from + 3; i < 2 * to; i += 2) {
            if (isAfter(a[i - 2], a[i], depth)) {
                return false;
            }
        }
        return true;
    }

    /** Whether keys with equal prefixes are equal, without a look at them. */
    boolean areDecided(final int from, final int to) {
        int i = from;
        while (i < to && RecordRefs.bothDecided(entries[2 * from + 1], entries[2 * i + 1])) {
            i++;
        }
        return i == to;
    }

    // ---- the next 8 bytes -----------------------------------------------------------------------

    /**
     * Where all keys begin with the same 8 bytes (URLs do), goes on to the following ones while the
     * entries are still in the order of their records: later each look at a key is a cache miss.
     *
     * @return how many content bytes equal prefixes decide now, or {@link RecordSorter#FINAL} when
     *     all
     */
    int skipShared(final int count) {
        int depth = Long.BYTES;
        while (depth < RecordSorter.MAX_DEPTH && allPrefixesEqual(count)) {
            if (!advanceAll(count, depth)) {
                return allOfLength(contentLength(entries[1]), count, depth)
                        ? RecordSorter.FINAL
                        : depth;
            }
            depth += Long.BYTES;
        }
        return depth;
    }

    private boolean allPrefixesEqual(final int count) {
        return count > RecordSorter.SMALL
                && RadixPasses.differingBits(entries, 0, RecordSorter.SMALL) == 0
                && RadixPasses.differingBits(entries, 0, count) == 0;
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

    /**
     * Brings the keys whose content ends before {@code depth} to the front, with its length as
     * their prefix: they are equal but for zeros at the end, so the shorter comes first. The others
     * get their next 8 bytes as prefix. Both stay in their order.
     *
     * @return where the longer ones start
     */
    int splitByEnd(final int from, final int to, final int depth) {
        if (to - from <= RecordSorter.CACHED) {
            return splitCachedByEnd(from, to, depth);
        }
        final int middle = (from + to) >>> 1;
        final int left = splitByEnd(from, middle, depth);
        final int right = splitByEnd(middle, to, depth);
        if (left < middle && middle < right) {
            RadixPasses.exchange(entries, left, middle, right);
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

    private int contentLength(final long ref) {
        final int offset = RecordRefs.offset(ref);
        return order.contentLength(
                data, RecordRefs.keyStart(data, offset), RecordRefs.keyLength(data, offset));
    }
}
