// SPDX-License-Identifier: Apache-2.0
package io.spillway.checksum;

/**
 * Computes CRC32C values of joined bytes from those of the parts, without the bytes. A CRC is the
 * remainder of a polynomial over GF(2), lowest power in the highest bit; to append {@code n} bytes
 * multiplies it by x^(8n).
 */
public final class Crc32cMath {
    /** The polynomial of CRC32C, without its highest power. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int ONE = 1 << 31;

    /** A byte is x^(2^3). */
    private static final int BYTE_POWER = 3;

    /** x^(2^k) for each k. */
    private static final int[] POWERS = powers();

    private Crc32cMath() {}

    private static int[] powers() {
        final int[] powers = new int[BYTE_POWER + Long.SIZE];
        powers[0] = ONE >>> 1;
        for (int k = 1; k < powers.length; k++) {
            powers[k] = multiply(powers[k - 1], powers[k - 1]);
        }
        return powers;
    }

    /**
     * The CRC32C of {@code first} followed by {@code second}.
     *
     * @param secondLength the bytes of the second part, at least 0
     */
    public static int combine(final int first, final int second, final long secondLength) {
        return append(first, second, shift(secondLength));
    }

    /** As {@link #combine}, for a second part whose {@link #shift} is known. */
    public static int append(final int first, final int second, final int shift) {
        return multiply(shift, first) ^ second;
    }

    /** The factor by which so many appended bytes change a CRC. */
    public static int shift(final long bytes) {
        int product = ONE;
        int power = BYTE_POWER;
        for (long left = bytes; left > 0; left >>>= 1) {
            if ((left & 1) != 0) {
                product = multiply(POWERS[power], product);
            }
            power++;
        }
        return product;
    }

    /** The product of two polynomials, modulo that of the CRC. */
    private static int multiply(final int left, final int right) {
        int product = 0;
        int shifted = right;
        for (int bit = left; bit != 0; bit <<= 1) {
            // Without branches: the bits of a CRC are unpredictable.
            product ^= shifted & (bit >> 31);
            shifted = (shifted >>> 1) ^ (POLYNOMIAL & -(shifted & 1));
        }
        return product;
    }
}
