// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

/**
 * The key ranges of the drain workload. TeraSort's simple partitioner gives each reducer a range of
 * three-byte prefixes; each of these ranges is cut into as many slices as there are files, and a
 * file's keys of a reducer all lie in its slice. So a reducer that merges the files' segments reads
 * the first of them to its end before it needs the second record of the next. Immutable and
 * thread-safe.
 */
final class DrainKeys {
    /** Bytes of a key; the first seven place it. */
    static final int KEY = 10;

    private static final int PREFIXES = 1 << 24;
    private static final int HEAD = 7;
    private static final int HEAD_BITS_BELOW_PREFIX = 32;

    private final int files;
    private final int prefixesPerReduce;

    /** Keys for so many files and reducers. */
    DrainKeys(final int files, final int reduces) {
        requirePositive("files", files);
        requirePositive("reduces", reduces);
        this.files = files;
        // The same float as in TeraSort.SimplePartitioner: a border elsewhere would mix files.
        this.prefixesPerReduce = (int) Math.ceil(PREFIXES / (float) reduces);
    }

    private static void requirePositive(final String name, final int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "=" + value + ": expected at least 1");
        }
    }

    /** Reducers that get records: with very many the partitioner leaves the last ones none. */
    int partitions() {
        return (PREFIXES + prefixesPerReduce - 1) / prefixesPerReduce;
    }

    /** The smallest head that a file's keys of a partition may have. */
    long first(final int partition, final int file) {
        final long start = ((long) partition * prefixesPerReduce) << HEAD_BITS_BELOW_PREFIX;
        return start + file * width(partition);
    }

    /** How many heads a file's keys of a partition may have, from the first on. */
    long width(final int partition) {
        final int start = partition * prefixesPerReduce;
        final int prefixes = Math.min(prefixesPerReduce, PREFIXES - start);
        return ((long) prefixes << HEAD_BITS_BELOW_PREFIX) / files;
    }

    /** Writes a key: its head, and the low bytes of {@code rest}. */
    static void write(final byte[] target, final long head, final long rest) {
        for (int index = 0; index < HEAD; index++) {
            target[index] = (byte) (head >>> (Byte.SIZE * (HEAD - 1 - index)));
        }
        for (int index = HEAD; index < KEY; index++) {
            target[index] = (byte) (rest >>> (Byte.SIZE * (index - HEAD)));
        }
    }
}
