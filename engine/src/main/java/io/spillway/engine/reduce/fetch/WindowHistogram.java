// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import java.util.Arrays;

/**
 * Counts requests of the merge phase by the memory that their stream held then: its window. Owned
 * by the loop's thread.
 */
public final class WindowHistogram {
    private static final int KIB_BITS = 10;
    private static final int CLASSES = 16;

    private final long[] counts = new long[CLASSES];
    private int used;

    /** A request goes out for a stream that holds so many bytes, those asked for included. */
    void add(final long bytes) {
        final int bits = Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, bytes));
        final int index = Math.min(CLASSES - 1, Math.max(0, bits - KIB_BITS));
        counts[index]++;
        used = Math.max(used, index + 1);
    }

    /** How many windows were of less than 2 KiB, less than 4 KiB, and so on. */
    public long[] counts() {
        return Arrays.copyOf(counts, used);
    }
}
