// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

/**
 * What the clients of a node may have it hold for writes that it has not answered, over all
 * transports. Thread-safe.
 *
 * @param puts bytes of puts, which lie outside the heap
 * @param tables what commits and calls take of the heap, in bytes: see {@link #tableBytes}
 */
public record PutMemory(JobBudget puts, JobBudget tables) {
    /** An eighth of the heap is for tables. */
    private static final int PART_OF_HEAP = 8;

    /** The bytes of a table, and the objects that are made of them. */
    private static final int TABLE_FACTOR = 4;

    /**
     * Creates memory of which nothing is taken.
     *
     * @param putBytes for puts
     */
    public static PutMemory of(final long putBytes) {
        return new PutMemory(
                new JobBudget(putBytes),
                new JobBudget(Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
    }

    /** What a table or a question takes of the heap until it is answered, about. */
    public static long tableBytes(final int encodedLength) {
        return (long) TABLE_FACTOR * encodedLength;
    }
}
