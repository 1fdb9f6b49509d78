// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * The index of a map output or spill, in the layout of {@code
 * org.apache.hadoop.mapred.SpillRecord}: for each partition three big-endian longs (start offset,
 * raw length, part length), then the CRC32 of all that as a long. One thread at a time; immutable
 * use may be shared.
 */
public final class MapOutputIndex {
    /** The bytes of one partition's entry. */
    public static final int ENTRY_LENGTH = 3 * Long.BYTES;

    /** The bytes of the checksum at the end. */
    public static final int CHECKSUM_LENGTH = Long.BYTES;

    /** The most partitions whose index fits one array. */
    public static final int MAX_PARTITIONS =
            (Integer.MAX_VALUE - 8 - CHECKSUM_LENGTH) / ENTRY_LENGTH;

    /** Says that the length of the map output file is not known. */
    public static final long UNKNOWN_FILE_LENGTH = -1;

    private final ByteBuffer entries;

    /**
     * Creates an index whose entries are all zero.
     *
     * @throws IllegalArgumentException when {@code partitions} is negative or more than {@link
     *     #MAX_PARTITIONS}
     */
    public MapOutputIndex(final int partitions) {
        if (partitions < 0 || partitions > MAX_PARTITIONS) {
            throw new IllegalArgumentException(
                    "partitions=" + partitions + ", expected 0 to " + MAX_PARTITIONS);
        }
        entries = ByteBuffer.allocate(partitions * ENTRY_LENGTH);
    }

    /** The bytes of the index of {@code partitions} partitions. */
    public static long encodedLength(final int partitions) {
        return (long) partitions * ENTRY_LENGTH + CHECKSUM_LENGTH;
    }

    /**
     * Reads an index and checks all of it.
     *
     * @param encoded the whole index file, from its position to its limit; consumed
     * @param name the file's name, for messages
     * @param fileLength the length of the map output file in bytes, or {@link #UNKNOWN_FILE_LENGTH}
     * @throws IOException when the length, the checksum or an entry is wrong
     */
    public static MapOutputIndex readFrom(
            final ByteBuffer encoded, final String name, final long fileLength) throws IOException {
        final int length = encoded.remaining();
        if (length <= CHECKSUM_LENGTH || (length - CHECKSUM_LENGTH) % ENTRY_LENGTH != 0) {
            throw new IOException(
                    "Corrupt index "
                            + name
                            + ": length="
                            + length
                            + ", expected 24 for each of at least one partition, and 8");
        }
        final MapOutputIndex index = new MapOutputIndex((length - CHECKSUM_LENGTH) / ENTRY_LENGTH);
        encoded.get(index.entries.array());
        final long stored = encoded.getLong();
        final long computed = index.checksum();
        if (stored != computed) {
            throw new IOException(
                    "Corrupt index " + name + ": checksum=" + stored + ", expected " + computed);
        }
        index.check(0, name, fileLength);
        return index;
    }

    /**
     * Reads some entries of an index, and checks them, as far as entries can be checked without the
     * others: the checksum at the end is one of all entries.
     *
     * @param encoded the entries, from its position to its limit; consumed
     * @param first the partition of the first of them, for messages
     * @param name the file's name, for messages
     * @param fileLength the length of the map output file in bytes
     * @return an index that has the first of them as partition 0
     * @throws IOException when an entry is wrong
     */
    public static MapOutputIndex readPart(
            final ByteBuffer encoded, final int first, final String name, final long fileLength)
            throws IOException {
        final MapOutputIndex part = new MapOutputIndex(encoded.remaining() / ENTRY_LENGTH);
        encoded.get(part.entries.array());
        part.check(first, name, fileLength);
        return part;
    }

    private void check(final int first, final String name, final long fileLength)
            throws IOException {
        for (int partition = 0; partition < partitions(); partition++) {
            check(partition, first, name, fileLength);
        }
    }

    private void check(
            final int partition, final int first, final String name, final long fileLength)
            throws IOException {
        final int at = partition * ENTRY_LENGTH;
        final long start = entries.getLong(at);
        final long raw = entries.getLong(at + Long.BYTES);
        final long part = entries.getLong(at + 2 * Long.BYTES);
        final long end = start + part;
        final boolean outside = fileLength != UNKNOWN_FILE_LENGTH && end > fileLength;
        if (start < 0 || raw < 0 || part < 0 || end < 0 || outside) {
            throw new IOException(
                    "Corrupt index "
                            + name
                            + ": partition="
                            + (first + partition)
                            + " startOffset="
                            + start
                            + " rawLength="
                            + raw
                            + " partLength="
                            + part
                            + ", expected all >= 0"
                            + (outside ? " and an end of at most " + fileLength : ""));
        }
    }

    /** Sets a partition's entry. */
    public void put(final int partition, final IndexEntry entry) {
        final int at = Objects.checkIndex(partition, partitions()) * ENTRY_LENGTH;
        entries.putLong(at, entry.startOffset());
        entries.putLong(at + Long.BYTES, entry.rawLength());
        entries.putLong(at + 2 * Long.BYTES, entry.partLength());
    }

    /** A partition's entry. */
    public IndexEntry get(final int partition) {
        final int at = Objects.checkIndex(partition, partitions()) * ENTRY_LENGTH;
        return new IndexEntry(
                entries.getLong(at),
                entries.getLong(at + Long.BYTES),
                entries.getLong(at + 2 * Long.BYTES));
    }

    /** The number of partitions. */
    public int partitions() {
        return entries.capacity() / ENTRY_LENGTH;
    }

    /** Writes the index with its checksum; does not close {@code out}. */
    public void writeTo(final OutputStream out) throws IOException {
        out.write(entries.array());
        out.write(ByteBuffer.allocate(CHECKSUM_LENGTH).putLong(checksum()).array());
    }

    private long checksum() {
        final CRC32 crc = new CRC32();
        crc.update(entries.array());
        return crc.getValue();
    }
}
