// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import io.spillway.ifile.VInts;
import java.util.Objects;

/**
 * The records of a {@link SortBuffer} in the order of (partition, key). Valid until the buffer is
 * cleared or written to. One thread.
 */
public final class SortedRecords {
    private final byte[] data;
    private final long[] entries;

    /** Where each partition starts, by record index, and where the last one ends. */
    private final int[] starts;

    SortedRecords(final byte[] data, final long[] entries, final int[] starts) {
        this.data = data;
        this.entries = entries;
        this.starts = starts;
    }

    /** The number of records. */
    public int records() {
        return starts[starts.length - 1];
    }

    /** The index of a partition's first record. */
    public int partitionStart(final int partition) {
        Objects.checkIndex(partition, starts.length - 1);
        return starts[partition];
    }

    /** The index after a partition's last record. */
    public int partitionEnd(final int partition) {
        return starts[partition + 1];
    }

    /** The array in which the records lie. */
    public byte[] data() {
        return data;
    }

    /** Where the encoded record starts, its header included. */
    public int recordOffset(final int index) {
        return RecordRefs.offset(entries[2 * index + 1]);
    }

    /** The length of the encoded record, its header included. */
    public int recordLength(final int index) {
        final int offset = recordOffset(index);
        final int keyLength = data[offset];
        final int valueLength = data[offset + 1];
        if ((keyLength | valueLength) >= 0) {
            return 2 + keyLength + valueLength;
        }
        return longRecordLength(offset);
    }

    private int longRecordLength(final int offset) {
        final int valueAt = offset + VInts.sizeFromFirstByte(data[offset]);
        return VInts.sizeFromFirstByte(data[offset])
                + VInts.sizeFromFirstByte(data[valueAt])
                + VInts.read(data, offset)
                + VInts.read(data, valueAt);
    }

    /** Where the key starts. */
    public int keyOffset(final int index) {
        final int offset = recordOffset(index);
        final int valueAt = offset + VInts.sizeFromFirstByte(data[offset]);
        return valueAt + VInts.sizeFromFirstByte(data[valueAt]);
    }

    /** The length of the key. */
    public int keyLength(final int index) {
        return VInts.read(data, recordOffset(index));
    }

    /** Where the value starts. */
    public int valueOffset(final int index) {
        return keyOffset(index) + keyLength(index);
    }

    /** The length of the value. */
    public int valueLength(final int index) {
        final int offset = recordOffset(index);
        return VInts.read(data, offset + VInts.sizeFromFirstByte(data[offset]));
    }
}
