// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.Locale;

/** Byte counts as people write them: {@code 64m}, {@code 4g}, {@code 1048576}. Binary units. */
public final class Sizes {
    private static final String UNITS = "kmgt";

    private Sizes() {}

    /**
     * Parses a byte count.
     *
     * @throws IllegalArgumentException when the text is not a number with an optional unit, or does
     *     not fit a long
     */
    public static long parse(final String text) {
        String digits = text.trim().toLowerCase(Locale.ROOT);
        if (digits.endsWith("b") && digits.length() > 1) {
            digits = digits.substring(0, digits.length() - 1);
        }
        if (digits.isEmpty()) {
            throw new IllegalArgumentException("size='" + text + "': expected a number of bytes");
        }
        final int unit = UNITS.indexOf(digits.charAt(digits.length() - 1));
        if (unit >= 0) {
            digits = digits.substring(0, digits.length() - 1);
        }
        try {
            return Math.multiplyExact(Long.parseLong(digits.trim()), 1L << (10 * (unit + 1)));
        } catch (final NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "size='" + text + "': expected a number of bytes, with k, m, g or t after it",
                    e);
        }
    }

    /** Formats a byte count with the largest unit that divides it. */
    public static String format(final long bytes) {
        long value = bytes;
        int unit = -1;
        while (value != 0 && value % 1024 == 0 && unit < UNITS.length() - 1) {
            value /= 1024;
            unit++;
        }
        return unit < 0 ? Long.toString(value) : value + String.valueOf(UNITS.charAt(unit));
    }
}
