// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.util.Arrays;

/**
 * The groups of equal keys of a {@link SortBuffer}'s records: found by hash when a record is
 * collected, while its key is in the cache. Only the groups are sorted; then one pass over the
 * records, in the order of their emission, puts each behind the others of its group. One thread.
 *
 * <p>Two records are of one group where their partition is the same and their keys are equal by the
 * job's order: the outcome is that of sorting the records.
 *
 * <p>There are few groups at most, so that all are in the cache: with more of them, both looking
 * for a group and that last pass miss it, and sorting the records is faster.
 *
 * <p>While records are grouped, a record's first long is {@code group << 32 | offset} and its
 * second one is free: {@link #restore} makes of them what {@link RecordSorter} sorts.
 */
final class KeyGroups {
    /** In place of a group: the key was not found within {@link #MOST_PROBES}. */
    static final int NONE = -1;

    /** More groups miss the cache. */
    static final int MOST_GROUPS = 1 << 12;

    /** The most of the sort buffer that groups may take. */
    private static final int CAPACITY_FRACTION = 16;

    /** A group: a key's prefix, a reference, two slots of the table, a count. */
    private static final int GROUP_BYTES = 4 * Long.BYTES + Integer.BYTES;

    /** Where groups have fewer records in the mean, sorting these costs less than a spill. */
    private static final int MANY_REPEATS = 64;

    /** Keys that collide so often are made to. */
    private static final int MOST_PROBES = 64;

    private static final int GROUP_SHIFT = 32;
    private static final long LOW = 0xFFFF_FFFFL;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final KeyOrder order;
    private final boolean totalPrefixes;

    /** Two longs a group, those of its first record: the key's prefix and the reference. */
    private final long[] firsts;

    /** The records of each group. */
    private final int[] counts;

    /** Open addressing: {@code hash << 32 | group + 1}, or 0. */
    private final long[] table;

    private int groups;

    /**
     * Creates it without groups.
     *
     * @param order with prefixes
     * @param capacity of the sort buffer, in bytes
     */
    KeyGroups(final KeyOrder order, final int capacity) {
        this.order = order;
        this.totalPrefixes = order.strength() == KeyOrder.Strength.TOTAL;
        final int most =
                Integer.highestOneBit(
                        Math.min(MOST_GROUPS, capacity / CAPACITY_FRACTION / GROUP_BYTES));
        this.firsts = new long[2 * most];
        this.counts = new int[most];
        this.table = new long[2 * most];
    }

    /** The bytes of heap held. */
    int bytes() {
        return GROUP_BYTES * counts.length;
    }

    int count() {
        return groups;
    }

    /** Whether there is no room for another group. */
    boolean isFull() {
        return groups == counts.length;
    }

    /** Whether keys repeat so often that a spill of what is grouped is short. */
    boolean areLarge(final int records) {
        return records / MANY_REPEATS >= groups;
    }

    /**
     * Counts a record into the group of its key, which may be new. To be called only where it is
     * not {@link #isFull full}.
     *
     * @param data holds this record and all before it
     * @param prefix the key's
     * @param ref the record's reference
     * @return the group, or {@link #NONE}
     */
    int groupOf(
            final byte[] data,
            final long prefix,
            final long ref,
            final int keyStart,
            final int keyLength) {
        final int hash = hash(data, prefix, ref, keyStart, keyLength);
        final long[] slots = table;
        final int mask = slots.length - 1;
        int slot = hash & mask;
        for (int probe = 0; probe < MOST_PROBES; probe++) {
            final long entry = slots[slot];
            if (entry == 0) {
                slots[slot] = ((long) hash << GROUP_SHIFT) | (groups + 1);
                return add(prefix, ref);
            }
            final int group = (int) entry - 1;
            if ((int) (entry >>> GROUP_SHIFT) == hash
                    && firsts[2 * group] == prefix
                    && isOf(group, data, ref, keyStart, keyLength)) {
                counts[group]++;
                return group;
            }
            slot = (slot + 1) & mask;
        }
        return NONE;
    }

    private int add(final long prefix, final long ref) {
        firsts[2 * groups] = prefix;
        firsts[2 * groups + 1] = ref;
        counts[groups] = 1;
        return groups++;
    }

    /** Whether a record belongs to a group whose prefix it has. */
    private boolean isOf(
            final int group,
            final byte[] data,
            final long ref,
            final int keyStart,
            final int keyLength) {
        final long first = firsts[2 * group + 1];
        if (RecordRefs.partition(first) != RecordRefs.partition(ref)) {
            return false;
        }
        if (totalPrefixes || RecordRefs.bothDecided(first, ref)) {
            return true;
        }
        final int offset = RecordRefs.offset(first);
        return order.compare(
                        data,
                        keyStart,
                        keyLength,
                        data,
                        RecordRefs.keyStart(data, offset),
                        RecordRefs.keyLength(data, offset))
                == 0;
    }

    /** Equal keys have equal prefixes, contents and lengths of content. */
    private int hash(
            final byte[] data,
            final long prefix,
            final long ref,
            final int keyStart,
            final int keyLength) {
        long hash = (prefix ^ RecordRefs.partition(ref)) * MULTIPLIER;
        if (!totalPrefixes && !RecordRefs.isDecided(ref)) {
            final int length = order.contentLength(data, keyStart, keyLength);
            final int end = Math.min(length, RecordSorter.MAX_DEPTH);
            for (int depth = Long.BYTES; depth < end; depth += Long.BYTES) {
                final long chunk = order.chunk(data, keyStart, keyLength, depth);
                hash = ((hash ^ (hash >>> 29)) + chunk) * MULTIPLIER;
            }
            hash = ((hash ^ (hash >>> 29)) + length) * MULTIPLIER;
        }
        return (int) (hash >>> GROUP_SHIFT);
    }

    /** The first long of a record of a group. */
    static long entry(final int group, final int offset) {
        return ((long) group << GROUP_SHIFT) | offset;
    }

    /** Makes of the entries of grouped records those that a {@link RecordSorter} sorts. */
    void restore(final long[] entries, final int records) {
        for (int i = 0; i < 2 * records; i += 2) {
            final int group = (int) (entries[i] >>> GROUP_SHIFT);
            final int offset = (int) entries[i];
            entries[i] = firsts[2 * group];
            entries[i + 1] = RecordRefs.at(firsts[2 * group + 1], offset);
        }
    }

    /**
     * Sorts the groups, and gives the records' offsets in the order of (partition, key, emission)
     * as second longs. Nothing more can be grouped then.
     */
    void sort(
            final RecordSorter sorter,
            final byte[] data,
            final long[] entries,
            final int records,
            final int partitions) {
        for (int group = 0; group < groups; group++) {
            table[group] = RecordRefs.offset(firsts[2 * group + 1]);
        }
        sorter.sort(data, firsts, partitionStarts(partitions));
        int start = 0;
        for (int i = 0; i < groups; i++) {
            final int group = groupAt(RecordRefs.offset(firsts[2 * i + 1]));
            final int count = counts[group];
            counts[group] = start;
            start += count;
        }
        for (int i = 0; i < 2 * records; i += 2) {
            final long entry = entries[i];
            entries[2 * counts[(int) (entry >>> GROUP_SHIFT)]++ + 1] = entry & LOW;
        }
    }

    /** Groups are numbered in the order of their first records. */
    private int groupAt(final int offset) {
        return Arrays.binarySearch(table, 0, groups, offset);
    }

    private int[] partitionStarts(final int partitions) {
        final int[] starts = new int[partitions + 1];
        for (int group = 0; group < groups; group++) {
            starts[RecordRefs.partition(firsts[2 * group + 1]) + 1]++;
        }
        for (int p = 0; p < partitions; p++) {
            starts[p + 1] += starts[p];
        }
        return starts;
    }
}
