// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

/**
 * How a sort buffer of a given capacity shares its heap between records and their entries.
 * Immutable and thread-safe.
 *
 * <p>What counts against the capacity is bytes and entries in use, so that a buffer holds what
 * stock's holds. What is allocated stays little above the capacity, though it is not known before
 * how long records are: arrays start small, so that small outputs zero little memory, and grow in
 * few large steps, the last of which goes by the mean length of the records so far. When the
 * records then change so much that the shares do not fit any more, the buffer overflows early and
 * starts over.
 *
 * <p>A roomy heap, of which the capacity is at most 2/5, may lose 1/10 of the capacity to slack,
 * and 1/4 while an array grows. Otherwise these are 1/32 and 3/32: who gave the buffer most of the
 * heap, as stock allows, must not run out of it.
 */
final class BufferPlan {
    /** The bytes of one entry: the key's prefix and the record's reference. */
    static final int ENTRY_BYTES = 2 * Long.BYTES;

    private static final int MIN_DATA = 16 << 10;
    private static final int MIN_ENTRIES = 1 << 9;
    private static final int FIRST_FRACTION = 64;

    private final int capacity;

    /** The second length of the data array: at it, the mean is taken. */
    private final int secondData;

    /** Room for records that turn out longer or shorter than the mean, on either side. */
    private final int slack;

    /** The most bytes of both arrays. */
    private final long settled;

    /** The most bytes of both arrays and the one that is being replaced. */
    private final long growing;

    /**
     * Creates a plan.
     *
     * @param maxHeap the most bytes of heap that the process has
     */
    BufferPlan(final int capacity, final long maxHeap) {
        this.capacity = capacity;
        final boolean roomy = isRoomy(capacity, maxHeap);
        this.secondData = capacity / (roomy ? 8 : 16);
        this.slack = capacity / (roomy ? 20 : 64);
        this.settled = capacity + (long) capacity / (roomy ? 10 : 32);
        this.growing = settled + (roomy ? (long) capacity * 3 / 20 : secondData);
    }

    static boolean isRoomy(final int capacity, final long maxHeap) {
        return capacity <= maxHeap / 5 * 2;
    }

    /** The most bytes of one array when the other takes {@code others} and the old one is alive. */
    private long room(final long others, final long old) {
        return Math.min(capacity, Math.min(settled - others, growing - others - old));
    }

    /** The length of the data array to begin with. */
    int firstData() {
        return Math.min(capacity, Math.max(MIN_DATA, capacity / FIRST_FRACTION));
    }

    /** The number of entries to begin with. */
    int firstEntries() {
        return MIN_ENTRIES;
    }

    /**
     * The next length of the data array.
     *
     * @param needed the least that helps
     * @param entries the entries allocated
     * @param bytes the bytes of complete records
     * @param records the complete records; with none, a record may take all of the capacity
     * @return at least {@code needed}, or 0 when the plan has no room for that
     */
    int growData(
            final long needed,
            final int current,
            final int entries,
            final long bytes,
            final int records) {
        final long room = records == 0 ? capacity : room((long) ENTRY_BYTES * entries, current);
        if (needed > room) {
            return 0;
        }
        final long step =
                current < secondData
                        ? secondData
                        : (long) (capacity * (1 - entryShare(bytes, records))) + slack;
        return (int) Math.min(room, Math.max(needed + slack, step));
    }

    /**
     * The next number of entries.
     *
     * @return more than {@code current}, or 0 when the plan has no room for that
     */
    int growEntries(final int current, final int dataLength, final long bytes, final int records) {
        final long room = room(dataLength, (long) ENTRY_BYTES * current) / ENTRY_BYTES;
        if (room < current + MIN_ENTRIES) {
            return 0;
        }
        final long step =
                current < slack / ENTRY_BYTES
                        ? 2L * current
                        : ((long) (capacity * entryShare(bytes, records)) + slack) / ENTRY_BYTES;
        final long least = (long) current + Math.max(MIN_ENTRIES, slack / ENTRY_BYTES);
        return (int) Math.min(room, Math.max(least, step));
    }

    /** The share of the capacity that entries will take, by the records so far. */
    private static double entryShare(final long bytes, final int records) {
        final double entries = (double) ENTRY_BYTES * records;
        return records == 0 ? 0 : entries / (entries + bytes);
    }
}
