// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.nio.file.Path;

/**
 * The name of a file that a task attempt has from a {@link FilePool}: {@code NAME+GRANTED.data}
 * while it is written, where GRANTED is the length in bytes that was granted; {@code NAME.data}
 * once it is complete.
 */
final class LeasedName {
    private static final String SUFFIX = ".data";
    private static final char GRANT = '+';

    private LeasedName() {}

    /** A file that is being written. */
    static String writing(final String name, final long granted) {
        return name + GRANT + granted + SUFFIX;
    }

    /** A complete file. */
    static String complete(final String name) {
        return name + SUFFIX;
    }

    static boolean isData(final Path file) {
        return file.getFileName().toString().endsWith(SUFFIX);
    }

    /** The length granted, in bytes; 0 of a complete file: what it has is what it needs. */
    static long granted(final Path file) {
        final String name = file.getFileName().toString();
        final int start = name.lastIndexOf(GRANT) + 1;
        if (start == 0 || !name.endsWith(SUFFIX)) {
            return 0;
        }
        try {
            return Math.max(0, Long.parseLong(name, start, name.length() - SUFFIX.length(), 10));
        } catch (final NumberFormatException e) {
            return 0;
        }
    }
}
