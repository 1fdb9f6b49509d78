// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.util.SplittableRandom;

/**
 * What one file has of an input.
 *
 * @param file its number, from 0
 * @param files of all
 * @param bytes of all files
 */
record Share(int file, int files, long bytes) {
    /** The bytes of this file. */
    long own() {
        return first(bytes, file + 1) - first(bytes, file);
    }

    /** The first of so many things that is this file's; the next file's is behind its last. */
    long first(final long things) {
        return first(things, file);
    }

    /** How many of so many things are this file's. */
    long count(final long things) {
        return first(things, file + 1) - first(things, file);
    }

    private long first(final long things, final int before) {
        // In two steps: the product of things and files may be more than a long.
        return things / files * before + things % files * before / files;
    }

    /** Random numbers of this file alone. */
    SplittableRandom random(final long seed) {
        return new SplittableRandom(seed * 0x9E3779B97F4A7C15L + file);
    }
}
