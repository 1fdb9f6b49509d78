// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.nio.file.Path;

/**
 * The name of a file that a task attempt has from a {@link FilePool}: {@code NAME+GRANTED.data}
 * while it is written, where GRANTED is the length in bytes that was granted; {@code NAME.data}
 * once it is complete.
 *
 * <p>A file of {@link LentFiles} is {@code NAME+GRANTED.lent}, then {@code NAME=LENGTH.lent}. Its
 * task can make it longer than its grant, so the account uses the length in its name.
 */
final class LeasedName {
    private static final String SUFFIX = ".data";
    private static final String LENT = ".lent";
    private static final char GRANT = '+';
    private static final char LENGTH = '=';

    private LeasedName() {}

    /** A file that is being written. */
    static String writing(final String name, final long granted) {
        return name + GRANT + granted + SUFFIX;
    }

    /** A complete file. */
    static String complete(final String name) {
        return name + SUFFIX;
    }

    /** A lent file that is being written. */
    static String lentWriting(final String name, final long granted) {
        return name + GRANT + granted + LENT;
    }

    /** A complete file that was lent. */
    static String lentComplete(final String name, final long length) {
        return name + LENGTH + length + LENT;
    }

    /** The name of a file that is being written, after a larger grant. */
    static String grown(final Path file, final String name, final long granted) {
        return isLent(file) ? lentWriting(name, granted) : writing(name, granted);
    }

    /** Whether a file may be used again, for another task of the same user. */
    static boolean isData(final Path file) {
        return file.getFileName().toString().endsWith(SUFFIX);
    }

    /** Whether a task of another user has or had a descriptor of a file. */
    static boolean isLent(final Path file) {
        return file.getFileName().toString().endsWith(LENT);
    }

    /** The length granted, in bytes; 0 of a complete file: what it has is what it needs. */
    static long granted(final Path file) {
        return number(file, GRANT);
    }

    /** The most bytes of a lent file: its grant, or its length once it is complete. */
    static long lent(final Path file) {
        return Math.max(number(file, GRANT), number(file, LENGTH));
    }

    private static long number(final Path file, final char sign) {
        final String name = file.getFileName().toString();
        final int start = name.lastIndexOf(sign) + 1;
        final int end = name.lastIndexOf('.');
        if (start == 0 || end < start || !(isData(file) || isLent(file))) {
            return 0;
        }
        try {
            return Math.max(0, Long.parseLong(name, start, end, 10));
        } catch (final NumberFormatException e) {
            return 0;
        }
    }
}
