// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.util.SplittableRandom;

/**
 * The part of an input that one file holds.
 *
 * @param file its number, from 0
 * @param files how many the input has
 * @param bytes of all files
 */
record Share(int file, int files, long bytes) {
    /** The bytes of this file. */
    long own() {
        return count(bytes);
    }

    /** The index of this file's first element, where all files together have so many. */
    long first(final long all) {
        return first(all, file);
    }

    /** How many elements this file has, where all files together have so many. */
    long count(final long all) {
        return first(all, file + 1) - first(all, file);
    }

    private long first(final long all, final int before) {
        // In two steps: the product of elements and files may be more than a long.
        return all / files * before + all % files * before / files;
    }

    /** Random numbers of this file alone. */
    SplittableRandom random(final long seed) {
        return new SplittableRandom(seed * 0x9E3779B97F4A7C15L + file);
    }
}
