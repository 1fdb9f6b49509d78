package io.spillway.sort;

import io.spillway.ifile.VInts;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/**
 * Collects serialized records and sorts them by (partition, key). One thread.
 *
 * <p>Records lie one after the other in IFile encoding in one array, so that writing a sorted
 * record is one copy; beside it lie 16 bytes a record of metadata. Both count against the capacity,
 * as stock counts its own 16 bytes inside {@code mapreduce.task.io.sort.mb}.
 */
public final class SortBuffer {
    /** Empties the buffer when it is full. */
    public interface Overflow {
        /**
         * Called from inside {@link #beginRecord}, {@link #endRecord} or the stream: must {@link
         * #sort}, write out and {@link #clear} the complete records.
         */
        void spill() throws IOException;
    }

    /** The bytes counted against the capacity for each record beside its encoding. */
    public static final int RECORD_OVERHEAD = 16;

    private static final int NOT_IN_RECORD = -1;
    private static final int FIRST_DATA = 64 << 10;
    private static final int FIRST_META = 1 << 10;

    private final int capacity;
    private final int partitions;
    private final Overflow overflow;
    private final ComparisonSorter sorter;
    private final RecordStream stream = new RecordStream();
    private final int[] counts;

    private byte[] data;
    private long[] meta = new long[FIRST_META];
    private int records;

    /** Where the next byte goes. */
    private int position;

    /** How far bytes may go before the slow path has to look. */
    private int limit;

    /** Where the record being written starts, its header included, or NOT_IN_RECORD. */
    private int recordStart = NOT_IN_RECORD;

    private int keyStart;
    private int keyEnd;

    /** The header size of the last record: the guess for the next one. */
    private int headerGuess = 2;

    /**
     * Creates an empty buffer.
     *
     * @param capacityBytes the most bytes of records and metadata
     * @param partitions the number of partitions
     * @param order the order of keys
     * @param overflow empties the buffer when it is full
     */
    public SortBuffer(
            final int capacityBytes,
            final int partitions,
            final KeyOrder order,
            final Overflow overflow) {
        if (capacityBytes < FIRST_DATA) {
            throw new IllegalArgumentException(
                    "capacityBytes=" + capacityBytes + ", expected at least " + FIRST_DATA);
        }
        if (partitions < 1) {
            throw new IllegalArgumentException(
                    "partitions=" + partitions + ", expected at least 1");
        }
        this.capacity = capacityBytes;
        this.partitions = partitions;
        this.overflow = Objects.requireNonNull(overflow);
        this.sorter = new ComparisonSorter(order);
        this.counts = new int[partitions];
        this.data = new byte[FIRST_DATA];
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
        recordStart = position;
        keyEnd = -1;
        updateLimit();
        require(headerGuess);
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
     * @throws IOException when the buffer was full and the overflow failed
     */
    public int endRecord(final int partition) throws IOException {
        if (recordStart == NOT_IN_RECORD || keyEnd < 0) {
            throw new IllegalStateException("endRecord: no value is being written");
        }
        Objects.checkIndex(partition, partitions);
        final int keyLength = keyEnd - keyStart;
        final int valueLength = position - keyEnd;
        writeHeader(keyLength, valueLength);
        if (records == meta.length) {
            meta = Arrays.copyOf(meta, 2 * meta.length);
        }
        meta[records++] = ((long) partition << 32) | recordStart;
        counts[partition]++;
        recordStart = NOT_IN_RECORD;
        limit = position;
        return keyLength + valueLength;
    }

    private void writeHeader(final int keyLength, final int valueLength) throws IOException {
        final int header = VInts.size(keyLength) + VInts.size(valueLength);
        final int shift = header - (keyStart - recordStart);
        if (shift != 0) {
            require(Math.max(0, shift));
            System.arraycopy(data, keyStart, data, keyStart + shift, keyLength + valueLength);
            position += shift;
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
        final int[] starts = new int[partitions + 1];
        for (int p = 0; p < partitions; p++) {
            starts[p + 1] = starts[p] + counts[p];
        }
        final long[] sorted = new long[records];
        final int[] next = starts.clone();
        for (int i = 0; i < records; i++) {
            sorted[next[(int) (meta[i] >>> 32)]++] = meta[i];
        }
        final long[] scratch = new long[records];
        for (int p = 0; p < partitions; p++) {
            sorter.sort(data, sorted, starts[p], starts[p + 1], scratch);
        }
        return new SortedRecords(data, sorted, 0, starts);
    }

    /** Drops the complete records; a record being written survives. */
    public void clear() {
        records = 0;
        Arrays.fill(counts, 0);
        if (recordStart == NOT_IN_RECORD) {
            position = 0;
            limit = 0;
            return;
        }
        final int moved = recordStart;
        System.arraycopy(data, moved, data, 0, position - moved);
        recordStart = 0;
        position -= moved;
        keyStart -= moved;
        keyEnd = keyEnd < 0 ? keyEnd : keyEnd - moved;
        updateLimit();
    }

    private void updateLimit() {
        final long room = capacity - (long) RECORD_OVERHEAD * (records + 1);
        limit = (int) Math.max(position, Math.min(data.length, room));
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
            overflow.spill();
            if (records > 0) {
                throw new IllegalStateException("overflow: records=" + records + ", expected 0");
            }
        }
        if (count > limit - position && !grow(count)) {
            throw new RecordTooLargeException((long) position - recordStart + count, capacity);
        }
    }

    private boolean grow(final int count) {
        final long needed = (long) position + count;
        if (needed > capacity - (long) RECORD_OVERHEAD * (records + 1)) {
            return false;
        }
        final long target = Math.min(capacity, Math.max(needed, 2L * data.length));
        data = Arrays.copyOf(data, (int) target);
        updateLimit();
        return true;
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
