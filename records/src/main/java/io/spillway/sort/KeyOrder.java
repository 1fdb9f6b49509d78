// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

/**
 * The order of serialized keys.
 *
 * <p>{@link #compare} is always the job's own order. Where the byte order of the comparator is
 * known, an order also gives 8-byte prefixes, so that most comparisons are one unsigned comparison
 * of two longs. Implementations are immutable and thread-safe, except one that wraps a job's {@code
 * RawComparator}, which is as thread-safe as that comparator (Hadoop's own are not): one instance a
 * thread.
 */
public interface KeyOrder {
    /** How much two equal prefixes say about two keys. */
    enum Strength {
        /** No byte order is known: every prefix is 0. */
        NONE,
        /** Equal prefixes say nothing more; {@link #chunk} continues. */
        PARTIAL,
        /** Keys with equal prefixes are equal; {@link #chunk} is never needed. */
        TOTAL
    }

    /** Compares two serialized keys as the job's comparator does. */
    int compare(byte[] a, int aStart, int aLength, byte[] b, int bStart, int bLength);

    /** How much equal prefixes say. */
    Strength strength();

    /**
     * The first 8 bytes of the key's content as a big-endian long, padded with zeros, to be
     * compared unsigned: {@code prefix(a) <u prefix(b)} implies {@code compare(a, b) < 0}.
     */
    long prefix(byte[] buffer, int start, int length);

    /**
     * The 8 bytes of the content from {@code depth} on, as {@link #prefix} gives those from 0; 0
     * past the content's end. Only for {@link Strength#PARTIAL}.
     */
    long chunk(byte[] buffer, int start, int length, int depth);

    /**
     * The number of content bytes that decide the order. Of two keys whose shorter content is a
     * prefix of the longer one, the shorter comes first. Only for {@link Strength#PARTIAL}.
     */
    int contentLength(byte[] buffer, int start, int length);
}
