// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.Closeable;
import java.io.IOException;

/**
 * Reads the records of one sorted run in IFile encoding: {@code vint keyLength, vint valueLength,
 * key, value}, ended by two vints of -1 (see {@code org.apache.hadoop.mapred.IFile}).
 *
 * <p>The current record lies contiguous in {@link #buffer()} and stays valid until the following
 * {@link #next()}: the contract of {@code RawKeyValueIterator}. One thread at a time.
 *
 * <p>Until a record is the smallest, the merge needs only its key: {@link #nextHead} goes to a
 * record whose value may be missing, {@link #completeRecord} loads the value.
 */
public abstract class RecordCursor implements Closeable {
    /** Checks at the end of a run how many records it had. */
    @FunctionalInterface
    public interface Audit {
        /**
         * The end marker was read, and the run was sound.
         *
         * @throws IOException when records are missing or too many
         */
        void ended(long records) throws IOException;
    }

    /** The bytes at hand; the record being read lies in it. */
    protected byte[] data;

    /** Where the next byte to parse lies in {@link #data}. */
    protected int position;

    /** Where the bytes at hand end in {@link #data}. */
    protected int limit;

    private static final int NONE = -1;

    /** {@link #NONE} before the first record and while it is not known whether there is a next. */
    private int recordStart = NONE;

    private int keyStart;
    private int keyLength;
    private int valueLength;
    private boolean ended;

    /** The records that the cursor has come to. */
    private long records;

    private Audit audit = found -> {};

    /**
     * Makes at least {@code count} bytes from {@link #position} on contiguous in {@link #data}, and
     * may move all three fields. May block.
     *
     * @return false when the run ends before that many bytes; then as many as there are lie at hand
     * @throws IOException when the source is lost or corrupt
     */
    protected abstract boolean ensure(int count) throws IOException;

    /**
     * As {@link #ensure}, for the record that is about to be current, from its first byte on: there
     * is one in a merge, while any number of runs have their heads in memory.
     */
    protected boolean ensureRecord(final int count) throws IOException {
        return ensure(count);
    }

    /** Records up to this length are brought as a whole by {@link #nextHead}. */
    protected int mostEagerBytes() {
        return Integer.MAX_VALUE;
    }

    /**
     * Called once when the end marker was read; checks what can only be checked at the end.
     *
     * @throws IOException when the run is longer than its marker says, or its checksum is wrong
     */
    protected void onEnd() throws IOException {}

    /** Checks the number of records when the run has ended; before that, and once. */
    public final void audit(final Audit atEnd) {
        audit = atEnd;
    }

    /**
     * Goes to the next record.
     *
     * @return false at the end of the run
     * @throws IOException when the source is lost or corrupt
     */
    public final boolean next() throws IOException {
        if (!nextHead()) {
            return false;
        }
        completeRecord();
        return true;
    }

    /**
     * Goes to the next record, of which at least the header and the key are then in {@link
     * #buffer()}. Before the next call it has to be made whole by {@link #completeRecord}.
     *
     * @return false at the end of the run
     * @throws HeadMemoryException when there is no memory for the key; the call may be made again
     * @throws IOException when the source is lost or corrupt
     */
    public final boolean nextHead() throws IOException {
        if (ended) {
            return false;
        }
        if (limit - position < VInts.MAX_HEADER_LENGTH) {
            recordStart = NONE;
            ensure(VInts.MAX_HEADER_LENGTH);
        }
        final int available = limit - position;
        if (available < 2) {
            throw truncated(2, available);
        }
        final byte first = data[position];
        final byte second = data[position + 1];
        if (first >= 0 && second >= 0) {
            keyLength = first;
            valueLength = second;
            return frame(2);
        }
        return nextWithLongHeader(available);
    }

    private boolean nextWithLongHeader(final int available) throws IOException {
        final int keySize = VInts.sizeFromFirstByte(data[position]);
        final int valueAt = position + keySize;
        if (keySize >= available || keySize + VInts.sizeFromFirstByte(data[valueAt]) > available) {
            throw truncated(keySize + 1, available);
        }
        final int valueSize = VInts.sizeFromFirstByte(data[valueAt]);
        if (keySize > VInts.MAX_LENGTH || valueSize > VInts.MAX_LENGTH) {
            throw new IOException(
                    "Corrupt run: lengths of "
                            + keySize
                            + " and "
                            + valueSize
                            + " bytes, expected at most "
                            + VInts.MAX_LENGTH);
        }
        final int header = keySize + valueSize;
        keyLength = VInts.read(data, position);
        valueLength = VInts.read(data, valueAt);
        if (keyLength == VInts.END && valueLength == VInts.END) {
            ended = true;
            position += header;
            onEnd();
            audit.ended(records);
            return false;
        }
        if (keyLength < 0 || valueLength < 0) {
            throw new IOException(
                    "Corrupt run: keyLength="
                            + keyLength
                            + " valueLength="
                            + valueLength
                            + ", expected both >= 0, or both -1 at the end");
        }
        return frame(header);
    }

    private boolean frame(final int header) throws IOException {
        final long length = (long) header + keyLength + valueLength;
        if (length > limit - position) {
            return frameHead(header, length);
        }
        recordStart = position;
        keyStart = position + header;
        position += (int) length;
        records++;
        return true;
    }

    /** Where the value is missing, {@code position} stays at the record's start. */
    private boolean frameHead(final int header, final long length) throws IOException {
        recordStart = NONE;
        if (length > Integer.MAX_VALUE - 16) {
            throw new IOException(
                    "Corrupt run: recordLength=" + length + ", expected at most 2147483631");
        }
        final int wanted = length <= mostEagerBytes() ? (int) length : header + keyLength;
        if (wanted > limit - position && !ensure(wanted)) {
            throw truncated(wanted, limit - position);
        }
        recordStart = position;
        keyStart = position + header;
        if (length <= limit - position) {
            position += (int) length;
        }
        records++;
        return true;
    }

    /**
     * Makes the record that {@link #nextHead} went to whole, and may move it.
     *
     * @throws IOException when the source is lost or corrupt
     */
    public final void completeRecord() throws IOException {
        if (position == recordStart) {
            bringValue();
        }
    }

    private void bringValue() throws IOException {
        final int length = recordLength();
        final int header = keyStart - recordStart;
        if (!ensureRecord(length)) {
            throw truncated(length, limit - position);
        }
        recordStart = position;
        keyStart = position + header;
        position += length;
    }

    /** Whether the last {@link #nextHead} went to a record. */
    public final boolean hasRecord() {
        return recordStart != NONE && !ended;
    }

    private static IOException truncated(final long wanted, final long available) {
        return new IOException(
                "Truncated run: a record needs " + wanted + " bytes, " + available + " are left");
    }

    /** The bytes of {@link HeadMemory} that the head holds. */
    public long heldBytes() {
        return 0;
    }

    /** Whether the end marker was read. */
    public final boolean ended() {
        return ended;
    }

    /** The array in which the current record lies. */
    public final byte[] buffer() {
        return data;
    }

    /** Where the current record starts, its header included. */
    public final int recordStart() {
        return recordStart;
    }

    /** The encoded length of the current record, its header included. */
    public final int recordLength() {
        return keyStart + keyLength + valueLength - recordStart;
    }

    /** Where the current key starts. */
    public final int keyStart() {
        return keyStart;
    }

    /** The length of the current key. */
    public final int keyLength() {
        return keyLength;
    }

    /** Where the current value starts. */
    public final int valueStart() {
        return keyStart + keyLength;
    }

    /** The length of the current value. */
    public final int valueLength() {
        return valueLength;
    }

    @Override
    public void close() throws IOException {}
}
