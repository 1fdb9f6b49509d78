package io.spillway.sort;

/**
 * How a sort buffer of a given capacity shares its heap between records and their entries.
 * Stateless but for the capacity; thread-safe.
 *
 * <p>What counts against the capacity is bytes and entries in use, so that a buffer holds what
 * stock's holds. What is allocated stays within 1.1 times the capacity, and within 1.25 times while
 * an array grows, though nobody knows before how long records are: arrays start small, so that
 * small outputs zero little memory, and grow in few large steps, the last of which goes by the mean
 * length of the records so far. When the records then change so much that the shares do not fit any
 * more, the buffer overflows early and starts over.
 */
final class BufferPlan {
    /** The bytes of one entry: the key's prefix and the record's reference. */
    static final int ENTRY_BYTES = 2 * Long.BYTES;

    private static final int MIN_DATA = 64 << 10;
    private static final int MIN_ENTRIES = 1 << 10;

    /** The first growth steps, as fractions of the capacity: little is copied, little zeroed. */
    private static final int FIRST_FRACTION = 64;

    private static final int SECOND_FRACTION = 8;

    /** Room for records that turn out longer or shorter than the mean, on either side. */
    private static final int SLACK_FRACTION = 20;

    private final int capacity;

    BufferPlan(final int capacity) {
        this.capacity = capacity;
    }

    /** The most bytes of one array when the other takes {@code others} and the old one is alive. */
    private long room(final long others, final long old) {
        final long settled = capacity + (long) capacity / 10 - others;
        final long growing = capacity + (long) capacity / 4 - others - old;
        return Math.min(capacity, Math.min(settled, growing));
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
                current < capacity / SECOND_FRACTION
                        ? capacity / SECOND_FRACTION
                        : (long) (capacity * (1 - entryShare(bytes, records))) + slack();
        return (int) Math.min(room, Math.max(needed + slack(), step));
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
                current < slack() / ENTRY_BYTES
                        ? 2L * current
                        : ((long) (capacity * entryShare(bytes, records)) + slack()) / ENTRY_BYTES;
        final long least = current + Math.max(MIN_ENTRIES, slack() / ENTRY_BYTES);
        return (int) Math.min(room, Math.max(least, step));
    }

    private long slack() {
        return capacity / SLACK_FRACTION;
    }

    /** The share of the capacity that entries will take, by the records so far. */
    private static double entryShare(final long bytes, final int records) {
        final double entries = (double) ENTRY_BYTES * records;
        return records == 0 ? 0 : entries / (entries + bytes);
    }
}
