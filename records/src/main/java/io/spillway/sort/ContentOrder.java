// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import io.spillway.ifile.VInts;
import java.util.Arrays;
import org.apache.hadoop.io.MD5Hash;

/**
 * Keys whose order is the unsigned lexicographic order of their content: all of the key's bytes but
 * a header. Immutable and thread-safe.
 */
abstract class ContentOrder implements KeyOrder {
    /** The whole key: {@code BooleanWritable}. */
    static final class Plain extends ContentOrder {
        @Override
        int headerLength(final byte[] buffer, final int start, final int length) {
            return 0;
        }
    }

    /** The first 16 bytes: {@code MD5Hash}. */
    static final class Digest extends ContentOrder {
        @Override
        int headerLength(final byte[] buffer, final int start, final int length) {
            return 0;
        }

        @Override
        int bounded(final int length) {
            return Math.min(length, MD5Hash.MD5_LEN);
        }
    }

    /** After a vint of the content's length: {@code Text}. */
    static final class AfterVInt extends ContentOrder {
        @Override
        int headerLength(final byte[] buffer, final int start, final int length) {
            return length == 0 ? 0 : VInts.sizeFromFirstByte(buffer[start]);
        }
    }

    /** After four bytes of length: {@code BytesWritable}. */
    static final class AfterInt extends ContentOrder {
        @Override
        int headerLength(final byte[] buffer, final int start, final int length) {
            return Integer.BYTES;
        }
    }

    /** Where the content starts in the key. */
    abstract int headerLength(byte[] buffer, int start, int length);

    /** The part of the key's length that the comparator looks at. */
    int bounded(final int length) {
        return length;
    }

    @Override
    public final int compare(
            final byte[] a,
            final int aStart,
            final int aKeyLength,
            final byte[] b,
            final int bStart,
            final int bKeyLength) {
        final int aLength = bounded(aKeyLength);
        final int bLength = bounded(bKeyLength);
        final int aHeader = Math.min(aLength, headerLength(a, aStart, aLength));
        final int bHeader = Math.min(bLength, headerLength(b, bStart, bLength));
        return Arrays.compareUnsigned(
                a, aStart + aHeader, aStart + aLength, b, bStart + bHeader, bStart + bLength);
    }

    @Override
    public final Strength strength() {
        return Strength.PARTIAL;
    }

    @Override
    public final long prefix(final byte[] buffer, final int start, final int length) {
        final int header = headerLength(buffer, start, length);
        return BigEndian.readPadded(buffer, start + header, bounded(length) - header);
    }

    @Override
    public final long chunk(
            final byte[] buffer, final int start, final int length, final int depth) {
        final int at = headerLength(buffer, start, length) + depth;
        return BigEndian.readPadded(buffer, start + at, bounded(length) - at);
    }

    @Override
    public final int contentLength(final byte[] buffer, final int start, final int length) {
        return Math.max(0, bounded(length) - headerLength(buffer, start, length));
    }
}
