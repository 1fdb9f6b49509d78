// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import io.spillway.ifile.VInts;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects serialized records and sorts them by (partition, key). One thread.
 *
 * <p>Records lie one after the other in IFile encoding in one array, so that writing a sorted
 * record is one copy; beside it lie 16 bytes a record of metadata. Both count against the capacity,
 * as stock counts its own 16 bytes inside {@code mapreduce.task.io.sort.mb}. The heap in use stays
 * within 1.3 times the capacity, the sort's scratch included, and within 1.1 times where the
 * capacity is more than 2/5 of the heap; while a single record needs more than its share of an
 * empty buffer, that record is copied once more. Where the heap has no room even for that, the
 * buffer goes on smaller.
 */
public final class SortBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(SortBuffer.class);

    /** Empties the buffer when it is full. */
    public interface Overflow {
        /**
         * Called from inside {@link #beginRecord}, {@link #endRecord} or the stream: must {@link
         * #sort}, write out and {@link #clear} the complete records.
         */
        void spill() throws IOException;
    }

    /** The bytes counted against the capacity for each record beside its encoding. */
    public static final int RECORD_OVERHEAD = BufferPlan.ENTRY_BYTES;

    /** The least capacity. */
    public static final int MIN_CAPACITY = 64 << 10;

    private static final int NOT_IN_RECORD = -1;

    /** The most of the capacity that the sort may use as scratch beside it. */
    private static final int SCRATCH_FRACTION = 6;

    private final int partitions;
    private final KeyOrder order;
    private final boolean partialPrefixes;
    private final Overflow overflow;
    private final RecordSorter sorter;
    private final RecordStream stream = new RecordStream();
    private final int[] counts;

    private int capacity;

    /** The capacity that the buffer comes to have by {@link #widen}. */
    private int fullCapacity;

    private BufferPlan plan;
    private byte[] data;

    /** Two longs a record: its key's prefix and its reference. */
    private long[] entries;

    private int records;

    /** Where the next byte goes. */
    private int position;

    /** How far bytes may go before the slow path has to look. */
    private int limit;

    /** Where the record being written starts, its header included, or NOT_IN_RECORD. */
    private int recordStart = NOT_IN_RECORD;

    private int keyStart;
    private int keyEnd;

    /** Set where bytes of the record being written were refused; null otherwise. */
    private RecordTooLargeException refused;

    /** The header size of the last record: the guess for the next one. */
    private int headerGuess = 2;

    /** The complete records once sorted: entries are of no use for another sort. */
    private SortedRecords sorted;

    /** Whether an array could not grow though the capacity was not used up. */
    private boolean squeezed;

    /** Whether records are grouped by their keys' hash, where that is faster than sorting them. */
    private boolean groupsKeys;

    /** Those of all complete records; null where they are to be sorted. */
    private KeyGroups groups;

    /**
     * Creates an empty buffer.
     *
     * @param capacityBytes the most bytes of records and metadata, at least {@link #MIN_CAPACITY}
     * @param partitions the number of partitions
     * @param order the order of keys
     * @param overflow empties the buffer when it is full
     */
    public SortBuffer(
            final int capacityBytes,
            final int partitions,
            final KeyOrder order,
            final Overflow overflow) {
        this(capacityBytes, partitions, order, overflow, () -> {});
    }

    /**
     * Creates an empty buffer that gives signs of life.
     *
     * @param capacityBytes the most bytes of records and metadata, at least {@link #MIN_CAPACITY}
     * @param partitions the number of partitions
     * @param order the order of keys
     * @param overflow empties the buffer when it is full
     * @param progress run from inside {@link #sort}, every thousand comparisons or short ranges: a
     *     sort by a slow comparator takes longer than a task may be silent
     */
    public SortBuffer(
            final int capacityBytes,
            final int partitions,
            final KeyOrder order,
            final Overflow overflow,
            final Runnable progress) {
        if (capacityBytes < MIN_CAPACITY) {
            throw new IllegalArgumentException(
                    "capacityBytes=" + capacityBytes + ", expected at least " + MIN_CAPACITY);
        }
        if (partitions < 1) {
            throw new IllegalArgumentException(
                    "partitions=" + partitions + ", expected at least 1");
        }
        this.capacity = capacityBytes;
        this.fullCapacity = capacityBytes;
        this.partitions = partitions;
        this.order = order;
        this.partialPrefixes = order.strength() == KeyOrder.Strength.PARTIAL;
        this.overflow = Objects.requireNonNull(overflow);
        this.plan = plan();
        this.sorter = new RecordSorter(order, scratchEntries(capacityBytes), progress);
        this.counts = new int[partitions];
        this.data = new byte[plan.firstData()];
        this.entries = new long[2 * plan.firstEntries()];
    }

    /**
     * Lets the empty buffer find the records of equal keys by hash, where the byte order of keys is
     * known, and for as long as keys repeat: fewer entries are sorted then. The groups take part of
     * the capacity. What {@link #sort} gives stays the same.
     */
    public void groupKeys() {
        if (records > 0 || recordStart != NOT_IN_RECORD) {
            throw new IllegalStateException("groupKeys: the buffer is not empty");
        }
        groupsKeys = order.strength() != KeyOrder.Strength.NONE;
        beginGroups();
    }

    private void beginGroups() {
        groups = groupsKeys ? new KeyGroups(order, fullCapacity) : null;
    }

    /** How many groups of equal keys were found by hash; 0 where records are not grouped. */
    int groups() {
        return groups == null ? 0 : groups.count();
    }

    /**
     * Makes the empty buffer overflow at less than its capacity, until {@link #widen}. A record
     * that needs more widens it.
     *
     * @param capacityBytes at least {@link #MIN_CAPACITY}
     */
    public void narrow(final int capacityBytes) {
        if (records > 0 || recordStart != NOT_IN_RECORD) {
            throw new IllegalStateException("narrow: the buffer is not empty");
        }
        capacity = Math.min(fullCapacity, Math.max(MIN_CAPACITY, capacityBytes));
        plan = plan();
    }

    /** Lets the buffer have its whole capacity. Idempotent. */
    public void widen() {
        if (capacity == fullCapacity) {
            return;
        }
        capacity = fullCapacity;
        plan = plan();
        if (records == 0) {
            // As long as they are, these would be in the way of longer ones while those are filled.
            data = Arrays.copyOf(data, Math.max(plan.firstData(), position));
            entries = new long[2 * plan.firstEntries()];
        }
        if (recordStart != NOT_IN_RECORD) {
            updateLimit();
        }
    }

    private BufferPlan plan() {
        return new BufferPlan(capacity, Runtime.getRuntime().maxMemory());
    }

    /** None where the heap is tight beside the buffer: the sort then works in place. */
    private static int scratchEntries(final int capacity) {
        return BufferPlan.isRoomy(capacity, Runtime.getRuntime().maxMemory())
                ? capacity / SCRATCH_FRACTION / RECORD_OVERHEAD
                : 0;
    }

    /** The bytes of heap held. */
    long heapBytes() {
        return data.length
                + (long) Long.BYTES * entries.length
                + sorter.heapBytes()
                + (groups == null ? 0 : groups.bytes());
    }

    /**
     * Begins a record.
     *
     * @throws IOException when the buffer was full and the overflow failed
     */
    public void beginRecord() throws IOException {
        if (recordStart != NOT_IN_RECORD) {
            throw new IllegalStateException("beginRecord: a record is being written");
        }
        if (sorted != null) {
            throw new IllegalStateException("beginRecord: sorted records were not cleared");
        }
        if (groups != null && groups.isFull()) {
            leaveGroups();
        }
        recordStart = position;
        keyStart = position;
        keyEnd = -1;
        refused = null;
        updateLimit();
        try {
            require(headerGuess);
            requireEntry();
        } catch (final IOException | RuntimeException e) {
            discardRecord();
            throw e;
        }
        position += headerGuess;
        keyStart = position;
    }

    /** Where serializers write: the key, then after {@link #endKey} the value. */
    public OutputStream stream() {
        return stream;
    }

    /** Ends the key of the record being written. */
    public void endKey() {
        if (recordStart == NOT_IN_RECORD || keyEnd >= 0) {
            throw new IllegalStateException("endKey: no key is being written");
        }
        keyEnd = position;
    }

    /**
     * Ends the record being written.
     *
     * @return the bytes of key and value
     * @throws RecordTooLargeException when some of its bytes were refused, whatever the serializer
     *     made of that
     * @throws IOException when the buffer was full and the overflow failed
     */
    public int endRecord(final int partition) throws IOException {
        if (recordStart == NOT_IN_RECORD || keyEnd < 0) {
            throw new IllegalStateException("endRecord: no value is being written");
        }
        Objects.checkIndex(partition, partitions);
        if (refused != null) {
            throw refused;
        }
        final int keyLength = keyEnd - keyStart;
        final int valueLength = position - keyEnd;
        writeHeader(keyLength, valueLength);
        addEntry(partition, keyLength);
        recordStart = NOT_IN_RECORD;
        limit = position;
        return keyLength + valueLength;
    }

    private void addEntry(final int partition, final int keyLength) {
        final long prefix = order.prefix(data, keyStart, keyLength);
        long ref = RecordRefs.of(partition, recordStart);
        if (partialPrefixes
                && RecordRefs.decides(prefix, order.contentLength(data, keyStart, keyLength))) {
            ref = RecordRefs.decided(ref);
        }
        if (groups == null || !addGrouped(prefix, ref, keyLength)) {
            entries[2 * records] = prefix;
            entries[2 * records + 1] = ref;
        }
        records++;
        counts[partition]++;
    }

    private boolean addGrouped(final long prefix, final long ref, final int keyLength) {
        final int group = groups.groupOf(data, prefix, ref, keyStart, keyLength);
        if (group == KeyGroups.NONE) {
            stopGrouping();
            return false;
        }
        entries[2 * records] = KeyGroups.entry(group, recordStart);
        return true;
    }

    private void leaveGroups() throws IOException {
        if (groups.areLarge(records)) {
            overflow();
        } else {
            stopGrouping();
        }
    }

    private void stopGrouping() {
        groups.restore(entries, records);
        groups = null;
    }

    private void writeHeader(final int keyLength, final int valueLength) throws IOException {
        final int header = VInts.size(keyLength) + VInts.size(valueLength);
        final int shift = header - (keyStart - recordStart);
        if (shift != 0) {
            require(Math.max(0, shift));
            System.arraycopy(data, keyStart, data, keyStart + shift, keyLength + valueLength);
            position += shift;
            keyStart += shift;
            headerGuess = header;
        }
        VInts.write(data, VInts.write(data, recordStart, keyLength), valueLength);
    }

    /** Drops the record being written. */
    public void discardRecord() {
        if (recordStart != NOT_IN_RECORD) {
            position = recordStart;
            recordStart = NOT_IN_RECORD;
            limit = position;
        }
    }

    /** The complete records. */
    public int records() {
        return records;
    }

    /** The bytes of the complete records, headers included. */
    public long bytes() {
        return recordStart == NOT_IN_RECORD ? position : recordStart;
    }

    /** Sorts the complete records by (partition, key); valid until {@link #clear}. */
    public SortedRecords sort() {
        if (sorted == null) {
            final int[] starts = new int[partitions + 1];
            for (int p = 0; p < partitions; p++) {
                starts[p + 1] = starts[p] + counts[p];
            }
            if (groups == null) {
                sorter.sort(data, entries, starts);
            } else {
                groups.sort(sorter, data, entries, records, partitions);
            }
            sorted = new SortedRecords(data, entries, starts);
        }
        return sorted;
    }

    /** Drops the complete records; a record being written survives. */
    public void clear() {
        records = 0;
        sorted = null;
        Arrays.fill(counts, 0);
        beginGroups();
        final int moved = recordStart == NOT_IN_RECORD ? position : recordStart;
        final byte[] target = squeezed ? startOver(position - moved) : data;
        System.arraycopy(data, moved, target, 0, position - moved);
        data = target;
        position -= moved;
        if (recordStart == NOT_IN_RECORD) {
            limit = position;
            return;
        }
        recordStart = 0;
        keyStart -= moved;
        keyEnd = keyEnd < 0 ? keyEnd : keyEnd - moved;
        updateLimit();
    }

    /**
     * Frees the memory of a buffer without records. Serializers hold its stream, and so the buffer,
     * for as long as the task runs.
     */
    public void release() {
        if (records > 0 || recordStart != NOT_IN_RECORD) {
            throw new IllegalStateException("release: the buffer is not empty");
        }
        sorter.releaseScratch();
        groups = null;
        data = new byte[0];
        entries = new long[0];
        position = 0;
        limit = 0;
    }

    /** The shares did not fit the records: lets them be found anew. */
    private byte[] startOver(final int kept) {
        squeezed = false;
        sorter.releaseScratch();
        entries = new long[2 * plan.firstEntries()];
        return new byte[Math.max(plan.firstData(), kept)];
    }

    private void updateLimit() {
        limit = (int) Math.max(position, Math.min(data.length, mostBytes()));
    }

    /** How far the bytes of this record may go for the capacity's sake. */
    private long mostBytes() {
        return capacity
                - (long) RECORD_OVERHEAD * (records + 1)
                - (groups == null ? 0 : groups.bytes());
    }

    /** Makes room for the entry of the record being written. */
    private void requireEntry() throws IOException {
        if (2 * records < entries.length) {
            return;
        }
        if (!growEntries()) {
            squeezed = true;
            overflow();
        }
    }

    private boolean growEntries() {
        int grown = plan.growEntries(records, data.length, bytes(), records);
        while (grown > 0) {
            try {
                entries = Arrays.copyOf(entries, 2 * grown);
                return true;
            } catch (final OutOfMemoryError e) {
                shrink(e);
                grown = plan.growEntries(records, data.length, bytes(), records);
            }
        }
        return false;
    }

    private void overflow() throws IOException {
        overflow.spill();
        if (records > 0) {
            throw new IllegalStateException(
                    "After overflow: records=" + records + ", expected 0: clear() them");
        }
    }

    /** Makes room for {@code count} more bytes of the record being written. */
    private void require(final int count) throws IOException {
        if (count <= limit - position) {
            return;
        }
        if (recordStart == NOT_IN_RECORD) {
            throw new IllegalStateException("write: no record is being written");
        }
        if (!grow(count) && records > 0) {
            overflow();
        }
        if (count > limit - position
                && !grow(count)
                && !growUngrouped(count)
                && !growWidened(count)) {
            refused = new RecordTooLargeException((long) position - recordStart + count, capacity);
            throw refused;
        }
    }

    /** A record that is alone in the buffer may have the groups' part of the capacity. */
    private boolean growUngrouped(final int count) {
        if (groups == null) {
            return false;
        }
        stopGrouping();
        updateLimit();
        return count <= limit - position || grow(count);
    }

    private boolean growWidened(final int count) {
        if (capacity == fullCapacity) {
            return false;
        }
        widen();
        return count <= limit - position || grow(count);
    }

    private boolean grow(final int count) {
        final long needed = (long) position + count;
        while (needed <= mostBytes()) {
            final int grown =
                    plan.growData(needed, data.length, entries.length / 2, bytes(), records);
            if (grown == 0) {
                squeezed = true;
                return false;
            }
            try {
                data = Arrays.copyOf(data, grown);
                updateLimit();
                return true;
            } catch (final OutOfMemoryError e) {
                shrink(e);
            }
        }
        return false;
    }

    /**
     * The heap has no room for what was planned, be it for other things in it or for how the
     * collector divides it: goes on with a smaller buffer. Only the one large array was not made,
     * so nothing else can be missing.
     */
    private void shrink(final OutOfMemoryError cause) {
        if (capacity < 2 * MIN_CAPACITY) {
            throw cause;
        }
        final int smaller = capacity - capacity / 4;
        LOG.warn(
                "The heap of {} bytes has no room for a sort buffer of {} bytes"
                        + " (mapreduce.task.io.sort.mb): going on with {} bytes",
                Runtime.getRuntime().maxMemory(),
                capacity,
                smaller);
        capacity = smaller;
        fullCapacity = smaller;
        plan = plan();
    }

    /** Serializers' way into the buffer. */
    private final class RecordStream extends OutputStream {
        @Override
        public void write(final int b) throws IOException {
            require(1);
            data[position++] = (byte) b;
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length)
                throws IOException {
            require(length);
            System.arraycopy(bytes, offset, data, position, length);
            position += length;
        }
    }
}
