// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.util.List;
import java.util.stream.IntStream;

/**
 * One of several shares of all keys. A check whose state grows with its input reads the input once
 * for each share, so that its memory is bounded.
 *
 * @param number of the share, from 0
 * @param shares how many there are
 */
record KeyShare(int number, int shares) {
    /** The state for so much input is about a quarter of a client's heap. */
    private static final long MOST_BYTES = 16L << 20;

    /** The shares for an input of a size. */
    static List<KeyShare> of(final long inputBytes) {
        final int shares = (int) (1 + inputBytes / MOST_BYTES);
        return IntStream.range(0, shares).mapToObj(number -> new KeyShare(number, shares)).toList();
    }

    /** Whether a key is in it. */
    boolean has(final String key) {
        final int hash = key.hashCode() * 0x9E3779B9;
        return Math.floorMod(hash ^ (hash >>> 16), shares) == number;
    }
}
