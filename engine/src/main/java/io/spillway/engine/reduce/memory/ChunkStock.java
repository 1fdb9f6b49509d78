// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The chunks of a {@link ChunkPool}: those that exist and are idle, room for more, and the copies
 * that replace chunks. Owned by the loop's thread.
 */
final class ChunkStock {
    private final int chunkSize;
    private final SlabAllocator slabs;
    private final Deque<Chunk> idle = new ArrayDeque<>();
    private long trimmedBytes;

    /** Creates a stock that has allocated nothing. */
    ChunkStock(final int chunkSize, final long budgetBytes) {
        this.chunkSize = chunkSize;
        this.slabs = new SlabAllocator(chunkSize, budgetBytes);
    }

    /**
     * Takes a chunk, if need be out of a new slab.
     *
     * @param capacity the most chunks that slabs and copies may take
     */
    Chunk take(final int capacity) {
        final Chunk idleChunk = idle.pollLast();
        final Chunk chunk = idleChunk == null ? slabs.cut(capacity - allocatedChunks()) : idleChunk;
        chunk.out = true;
        return chunk;
    }

    /**
     * Takes a chunk back whose bytes are of no more use.
     *
     * @throws IllegalStateException when it is in the stock: two would write into it later
     */
    void giveBack(final Chunk chunk) {
        if (!chunk.out) {
            throw new IllegalStateException("a chunk was given back twice");
        }
        chunk.out = false;
        idle.addLast(chunk);
    }

    /** A copy of a chunk's content that is no larger than it needs; null when it has no room. */
    Chunk trimmed(final Chunk chunk, final int capacity) {
        if (slabs.chunks() + chunksOf(trimmedBytes + chunk.length()) > capacity) {
            return null;
        }
        final Chunk copy = chunk.trimmed();
        trimmedBytes += copy.capacity();
        return copy;
    }

    /** A chunk that is not the stock's is of no more use. */
    void forget(final Chunk chunk) {
        trimmedBytes -= chunk.isTrimmed() ? chunk.capacity() : 0;
    }

    /** The bytes of the copies. */
    long trimmedBytes() {
        return trimmedBytes;
    }

    /** The chunks that the copies take the place of. */
    long trimmedChunks() {
        return chunksOf(trimmedBytes);
    }

    private long chunksOf(final long bytes) {
        return (bytes + chunkSize - 1) / chunkSize;
    }

    /** The chunks that slabs and copies take. */
    long allocatedChunks() {
        return slabs.chunks() + trimmedChunks();
    }

    /** The memory that slabs and copies take. */
    long allocatedBytes() {
        return (long) slabs.chunks() * chunkSize + trimmedBytes;
    }

    /** Whether nothing exists twice, with so many chunks out. */
    boolean agreesWith(final int out) {
        return out + idle.size() <= slabs.chunks() && trimmedBytes >= 0;
    }

    @Override
    public String toString() {
        return "idle=" + idle.size() + " trimmedBytes=" + trimmedBytes;
    }
}
