// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

/**
 * Keys of fixed size that 8 bytes hold whole: their order is that of their prefixes. Immutable and
 * thread-safe.
 */
abstract class FixedOrder implements KeyOrder {
    private static final int INT_SHIFT = 32;

    /** {@code IntWritable}. */
    static final class OfInt extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            return ((long) BigEndian.readInt(buffer, start) << INT_SHIFT) ^ Long.MIN_VALUE;
        }
    }

    /** {@code LongWritable}. */
    static final class OfLong extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            return BigEndian.readLong(buffer, start) ^ Long.MIN_VALUE;
        }
    }

    /** {@code LongWritable}, the largest first. */
    static final class OfLongDecreasing extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            return ~(BigEndian.readLong(buffer, start) ^ Long.MIN_VALUE);
        }
    }

    /** {@code ShortWritable}. */
    static final class OfShort extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            return ((long) BigEndian.readShort(buffer, start) << 48) ^ Long.MIN_VALUE;
        }
    }

    /** {@code ByteWritable}: signed. */
    static final class OfByte extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            return ((long) buffer[start] << 56) ^ Long.MIN_VALUE;
        }
    }

    /**
     * {@code FloatWritable}: {@code Float.compare}, so -0 before 0, and every NaN equal and last.
     */
    static final class OfFloat extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            final float value = Float.intBitsToFloat(BigEndian.readInt(buffer, start));
            final int bits = Float.floatToIntBits(value);
            final int ordered = bits ^ ((bits >> 31) | Integer.MIN_VALUE);
            return (long) ordered << INT_SHIFT;
        }
    }

    /**
     * {@code DoubleWritable}: {@code Double.compare}, so -0 before 0, and every NaN equal and last.
     */
    static final class OfDouble extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            final double value = Double.longBitsToDouble(BigEndian.readLong(buffer, start));
            final long bits = Double.doubleToLongBits(value);
            return bits ^ ((bits >> 63) | Long.MIN_VALUE);
        }
    }

    /** {@code NullWritable}: all equal. */
    static final class OfNothing extends FixedOrder {
        @Override
        public long prefix(final byte[] buffer, final int start, final int length) {
            return 0;
        }
    }

    @Override
    public final int compare(
            final byte[] a,
            final int aStart,
            final int aLength,
            final byte[] b,
            final int bStart,
            final int bLength) {
        return Long.compareUnsigned(prefix(a, aStart, aLength), prefix(b, bStart, bLength));
    }

    @Override
    public final Strength strength() {
        return Strength.TOTAL;
    }

    @Override
    public final long chunk(
            final byte[] buffer, final int start, final int length, final int depth) {
        throw new UnsupportedOperationException("chunk: prefixes are total");
    }

    @Override
    public final int contentLength(final byte[] buffer, final int start, final int length) {
        throw new UnsupportedOperationException("contentLength: prefixes are total");
    }
}
