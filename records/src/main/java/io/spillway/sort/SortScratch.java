// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The array that a {@link RecordSorter} distributes ranges of entries into: two longs an entry, as
 * many as a bound and the heap allow. Used by the sorter's thread.
 */
final class SortScratch {
    private static final Logger LOG = LoggerFactory.getLogger(SortScratch.class);

    private static final long[] NOTHING = {};

    private int maxEntries;
    private long[] array = NOTHING;

    /** The entry that corresponds to the first one of the array. */
    private int base;

    /**
     * Allocates nothing yet.
     *
     * @param maxEntries the bound; a range that fits the cache has room in any case
     */
    SortScratch(final int maxEntries) {
        this.maxEntries = Math.max(RecordSorter.CACHED, maxEntries);
    }

    /** The array; another one after {@link #reserve} and {@link #release}. */
    long[] array() {
        return array;
    }

    /** The entry that corresponds to the first one of the array. */
    int base() {
        return base;
    }

    /** Frees the array. */
    void release() {
        array = NOTHING;
    }

    /**
     * Makes room for a sort, which begins with the first entry.
     *
     * @param always whether a few entries, which fit the cache, need it, too
     */
    void reserve(final int count, final boolean always) {
        final int wanted = Math.min(count, maxEntries);
        final boolean needed = always || count > RecordSorter.CACHED;
        if (needed && array.length < 2 * wanted) {
            array = NOTHING;
            array = tryAllocate(wanted);
        }
        base = 0;
    }

    /** Ranges that do not fit the scratch are distributed in place: slower, but sorted. */
    private long[] tryAllocate(final int wanted) {
        try {
            return new long[2 * wanted];
        } catch (final OutOfMemoryError e) {
            LOG.warn("No heap for scratch of {} records: sorting in place", wanted, e);
            maxEntries = RecordSorter.CACHED;
            return new long[2 * Math.min(wanted, RecordSorter.CACHED)];
        }
    }

    /**
     * Whether the range has its place in the scratch. A range inside one that is spread over the
     * scratch keeps to its own part of it; else the scratch is free and starts with this range.
     */
    boolean claim(final int from, final int to) {
        final int room = array.length / 2;
        if (from >= base && to - base <= room) {
            return true;
        }
        if (to - from > room) {
            return false;
        }
        base = from;
        return true;
    }
}
