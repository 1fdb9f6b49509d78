// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.io.Text;

/**
 * What one output file holds: how many records, a checksum that does not depend on their order, one
 * that does, and whether keys are in order. Two files with equal unordered checksums hold the same
 * multiset of records. Not thread-safe.
 */
final class RecordDigest {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long SEED = 0x9E3779B97F4A7C15L;
    private static final long FACTOR = 0xFF51AFD7ED558CCDL;
    private static final long OTHER_FACTOR = 0xC4CEB9FE1A85EC53L;

    private byte[] lastKey = new byte[0];
    private int lastKeyLength;
    private long records;
    private long bytes;
    private long sum;
    private long otherSum;
    private long ordered;
    private boolean isSorted = true;

    /** Adds a record. Keys are in order when their bytes are, taken as unsigned. */
    void add(
            final byte[] key,
            final int keyStart,
            final int keyLength,
            final byte[] value,
            final int valueStart,
            final int valueLength) {
        final long keyHash = hash(SEED + keyLength, key, keyStart, keyLength);
        final long hash = mix(hash(keyHash + valueLength, value, valueStart, valueLength), FACTOR);
        records++;
        bytes += keyLength + (long) valueLength;
        sum += hash;
        otherSum += mix(hash ^ SEED, OTHER_FACTOR);
        ordered = mix(ordered + hash, FACTOR);
        checkOrder(key, keyStart, keyLength);
    }

    /**
     * Adds a line.
     *
     * @param hasKey whether its key is the text before the first tab, or all of it without a tab.
     *     Otherwise the key is empty, and any order of lines counts as sorted.
     */
    void addLine(final Text line, final boolean hasKey) {
        final byte[] bytes = line.getBytes();
        final int tab = hasKey ? line.find("\t") : 0;
        final int keyLength = tab < 0 ? line.getLength() : tab;
        add(bytes, 0, keyLength, bytes, keyLength, line.getLength() - keyLength);
    }

    /** Adds the records of another one, whose order is not known here. */
    void addContent(final RecordDigest other) {
        records += other.records;
        bytes += other.bytes;
        sum += other.sum;
        otherSum += other.otherSum;
    }

    private void checkOrder(final byte[] key, final int start, final int length) {
        if (records > 1) {
            isSorted &=
                    Arrays.compareUnsigned(lastKey, 0, lastKeyLength, key, start, start + length)
                            <= 0;
        }
        if (lastKey.length < length) {
            lastKey = new byte[2 * length];
        }
        System.arraycopy(key, start, lastKey, 0, length);
        lastKeyLength = length;
    }

    private static long hash(
            final long seed, final byte[] bytes, final int start, final int length) {
        long hash = seed;
        int index = start;
        final int end = start + length;
        for (; index + Long.BYTES <= end; index += Long.BYTES) {
            hash = Long.rotateLeft((hash ^ (long) LONGS.get(bytes, index)) * FACTOR, 29);
        }
        for (; index < end; index++) {
            hash = Long.rotateLeft((hash ^ bytes[index]) * OTHER_FACTOR, 23);
        }
        return hash;
    }

    private static long mix(final long hash, final long factor) {
        long mixed = (hash ^ (hash >>> 33)) * factor;
        mixed = (mixed ^ (mixed >>> 29)) * OTHER_FACTOR;
        return mixed ^ (mixed >>> 32);
    }

    /** What does not depend on the order, tab-separated: records, bytes, both sums. */
    String content() {
        return String.join(
                "\t",
                String.valueOf(records),
                String.valueOf(bytes),
                Long.toHexString(sum) + "-" + Long.toHexString(otherSum));
    }

    /** Tab-separated: {@link #content}, the sum that depends on the order, sorted or not. */
    String render() {
        return String.join("\t", content(), Long.toHexString(ordered), String.valueOf(isSorted));
    }

    /** A sum over all records that does not depend on their order. */
    long sum() {
        return sum;
    }

    /** How many records there were. */
    long records() {
        return records;
    }

    /** The bytes of their keys and values. */
    long bytes() {
        return bytes;
    }
}
