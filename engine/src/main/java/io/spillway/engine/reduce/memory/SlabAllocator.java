// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

/**
 * Cuts equal chunks out of large arrays. Owned by the loop's thread.
 *
 * <p>Why large: an array of half a G1 region or more is allocated outside the young generation and
 * never moves. Chunks in arrays of their own would be copied by every young collection of a merge
 * that holds them for long. A slab is allocated when its first chunk is needed, is about as large
 * as what was needed before it, and is never freed: a small reducer stays small.
 */
final class SlabAllocator {
    /** The size that slabs start with: it is large for G1 up to regions of 2 MiB. */
    static final int MIN_BYTES = 1 << 20;

    /** The size that slabs grow to. */
    static final int MAX_BYTES = 8 << 20;

    /** A slab takes at most this part of the budget. */
    private static final int BUDGET_PARTS = 8;

    private final int chunkSize;
    private final long budgetBytes;
    private byte[] slab = {};
    private int cut;
    private int chunks;

    /**
     * Creates an allocator that has allocated nothing.
     *
     * @param budgetBytes what slabs are sized by; the limit is what each {@link #cut} says
     */
    SlabAllocator(final int chunkSize, final long budgetBytes) {
        this.chunkSize = chunkSize;
        this.budgetBytes = budgetBytes;
    }

    /** The chunks that all slabs have room for, whether they were cut or not. */
    int chunks() {
        return chunks;
    }

    /**
     * A chunk that overlaps no other.
     *
     * @param room the chunks by which the slabs may still grow
     * @throws IllegalStateException when no chunk is left and there is no room for another slab
     */
    Chunk cut(final long room) {
        if (cut == slab.length) {
            grow(room);
        }
        final Chunk chunk = new Chunk(slab, cut, chunkSize);
        cut += chunkSize;
        return chunk;
    }

    private void grow(final long room) {
        if (room <= 0) {
            throw new IllegalStateException(
                    "chunks=" + chunks + " room=" + room + ", expected > 0");
        }
        final int count = (int) Math.min(room, nextSlabChunks());
        slab = new byte[count * chunkSize];
        cut = 0;
        chunks += count;
    }

    /**
     * One chunk less than a power of two: an array of 8 MiB and its header would take another
     * region of G1, most of it wasted.
     */
    private long nextSlabChunks() {
        final long grown = Math.max(MIN_BYTES, Math.min((long) chunks * chunkSize, MAX_BYTES));
        final long bytes = Long.highestOneBit(Math.min(grown, budgetBytes / BUDGET_PARTS));
        return Math.max(1, bytes / chunkSize - 1);
    }
}
