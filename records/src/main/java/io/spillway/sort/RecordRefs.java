// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import io.spillway.ifile.VInts;

/**
 * References to records in a sort buffer: {@code partition << 32 | decided << 31 | offset}. Offsets
 * grow in the order in which the records were emitted.
 *
 * <p>{@code decided} says that the entry's prefix holds all that is left of the key's content, and
 * that it does not end with a zero byte: two such keys with equal prefixes are equal, and need no
 * look at their bytes.
 */
final class RecordRefs {
    private static final int PARTITION_SHIFT = 32;
    private static final long DECIDED = 1L << 31;
    private static final int OFFSET_MASK = 0x7FFF_FFFF;

    private RecordRefs() {}

    static long of(final int partition, final int offset) {
        return ((long) partition << PARTITION_SHIFT) | offset;
    }

    /**
     * Whether 8 bytes hold all of the content that is left, and their padding can not be mistaken
     * for content.
     */
    static boolean decides(final long prefix, final int contentLength) {
        return contentLength == 0
                || (contentLength <= Long.BYTES
                        && ((prefix >>> (Long.SIZE - Byte.SIZE * contentLength)) & 0xFF) != 0);
    }

    static long decided(final long ref) {
        return ref | DECIDED;
    }

    static long undecided(final long ref) {
        return ref & ~DECIDED;
    }

    static boolean isDecided(final long ref) {
        return (ref & DECIDED) != 0;
    }

    static boolean bothDecided(final long a, final long b) {
        return (a & b & DECIDED) != 0;
    }

    static int partition(final long ref) {
        return (int) (ref >>> PARTITION_SHIFT);
    }

    static int offset(final long ref) {
        return (int) ref & OFFSET_MASK;
    }

    /** The reference of another record of the same partition and key. */
    static long at(final long ref, final int offset) {
        return (ref & ~(long) OFFSET_MASK) | offset;
    }

    /** Where the key of the encoded record at {@code offset} starts. */
    static int keyStart(final byte[] data, final int offset) {
        if ((data[offset] | data[offset + 1]) >= 0) {
            return offset + 2;
        }
        final int valueAt = offset + VInts.sizeFromFirstByte(data[offset]);
        return valueAt + VInts.sizeFromFirstByte(data[valueAt]);
    }

    /** The key length of the encoded record at {@code offset}. */
    static int keyLength(final byte[] data, final int offset) {
        final byte first = data[offset];
        return first >= 0 ? first : VInts.read(data, offset);
    }

    /** Whether a record was emitted after another one of the same buffer: where keys are equal. */
    static boolean isLater(final long a, final long b) {
        return offset(a) > offset(b);
    }

    /** Whether a record comes after another one of its partition: by key, then as emitted. */
    static boolean isAfter(final KeyOrder order, final byte[] data, final long a, final long b) {
        final int compared = compareKeys(order, data, a, b);
        return compared == 0 ? isLater(a, b) : compared > 0;
    }

    /** Compares the keys of two records of one buffer. */
    static int compareKeys(final KeyOrder order, final byte[] data, final long a, final long b) {
        final int aOffset = offset(a);
        final int bOffset = offset(b);
        return order.compare(
                data,
                keyStart(data, aOffset),
                keyLength(data, aOffset),
                data,
                keyStart(data, bOffset),
                keyLength(data, bOffset));
    }
}
