// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import java.util.Comparator;

/**
 * A piece of an output that has arrived. Immutable.
 *
 * @param partition of its segment
 * @param run of its segment
 * @param offset of the piece in its segment, in bytes
 * @param length in bytes, above 0
 * @param checksum the CRC32C of the bytes
 * @param position where the bytes are: see {@link OutputRoom}
 */
record HeldPiece(int partition, int run, long offset, int length, int checksum, long position) {
    /** What one takes of the heap with its entry in a {@link java.util.TreeMap}, in bytes. */
    static final int HEAP_BYTES = 96;

    /** By segment, then by offset. */
    static final Comparator<HeldPiece> ORDER =
            Comparator.comparingInt(HeldPiece::partition)
                    .thenComparingInt(HeldPiece::run)
                    .thenComparingLong(HeldPiece::offset);

    /** Only for a search: no piece is equal to it. */
    static HeldPiece before(final int partition, final int run, final long offset) {
        return new HeldPiece(partition, run, offset, 0, 0, 0);
    }

    long end() {
        return offset + length;
    }

    boolean isOf(final int otherPartition, final int otherRun) {
        return partition == otherPartition && run == otherRun;
    }
}
