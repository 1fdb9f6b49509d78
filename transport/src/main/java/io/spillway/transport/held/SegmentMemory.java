// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.transport.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A bounded amount of memory outside the heap, in chunks of one length. They are cut from slabs
 * that are allocated when needed and never given back, for the first touch of a page costs ten
 * times a warm copy. Thread-safe.
 */
final class SegmentMemory {
    private static final int SLAB_BYTES = 16 << 20;

    /** What the object of a chunk takes of the heap. */
    private static final int CHUNK_HEAP_BYTES = 80;

    private final long capacity;
    private final long mark;
    private final int chunkBytes;
    private final DirectMemory memory;
    private final HeapAccount heap;
    private final Deque<ByteBuffer> free = new ArrayDeque<>();
    private long allocated;
    private long used;

    /**
     * Creates the memory.
     *
     * @param mark up to which outputs keep chunks; the rest is for what stays a while
     * @param capacity in bytes, at least {@code chunkBytes}
     * @param chunkBytes of a chunk, 1 to 16 MiB
     * @param memory grants the slabs
     * @param heap counts what is kept on the heap
     */
    SegmentMemory(
            final long mark,
            final long capacity,
            final int chunkBytes,
            final DirectMemory memory,
            final HeapAccount heap) {
        if (chunkBytes < 1 || chunkBytes > SLAB_BYTES || capacity < chunkBytes) {
            throw new IllegalArgumentException(
                    "capacity="
                            + capacity
                            + " chunkBytes="
                            + chunkBytes
                            + ", expected 1 to "
                            + SLAB_BYTES
                            + " bytes a chunk, and one chunk at least");
        }
        this.capacity = capacity;
        this.mark = mark;
        this.chunkBytes = chunkBytes;
        this.memory = memory;
        this.heap = heap;
    }

    HeapAccount heap() {
        return heap;
    }

    int chunkBytes() {
        return chunkBytes;
    }

    long capacity() {
        return capacity;
    }

    /** The bytes in use: whole chunks. */
    synchronized long used() {
        return used;
    }

    /** Up to where outputs keep chunks, in bytes. */
    long mark() {
        return mark;
    }

    /** A chunk to keep; null where there is no room. Its bytes are anything. */
    synchronized ByteBuffer take() {
        return used + chunkBytes > mark || !hasFree(1) ? null : pop();
    }

    private ByteBuffer pop() {
        used += chunkBytes;
        return free.pop();
    }

    /** Allocates until there are so many free chunks; whether the heap has room for them. */
    private boolean hasFree(final int chunks) {
        while (free.size() < chunks) {
            final int more =
                    Math.max(1, (int) (Math.min(SLAB_BYTES, capacity - allocated) / chunkBytes));
            if (!heap.charge((long) more * CHUNK_HEAP_BYTES)) {
                return false;
            }
            allocate(more);
        }
        return true;
    }

    private void allocate(final int chunks) {
        final ByteBuffer slab = slab(chunks);
        for (int i = 0; i < chunks; i++) {
            free.push(slab.slice(i * chunkBytes, chunkBytes));
        }
        allocated += slab.capacity();
    }

    private ByteBuffer slab(final int chunks) {
        try {
            return memory.allocate(chunks * chunkBytes);
        } catch (final OutOfMemoryError e) {
            heap.discharge((long) chunks * CHUNK_HEAP_BYTES);
            throw e;
        }
    }

    /**
     * Memory for a piece on its way to a file: chunks, or the heap for a small one. Null where
     * there is no room.
     */
    synchronized PieceRoom takeForAWhile(final int length) {
        if (length <= chunkBytes / 2) {
            return heap.charge(length)
                    ? new PieceRoom(length, 0, List.of(ByteBuffer.allocate(length)), List.of())
                    : null;
        }
        final int count = (int) (((long) length + chunkBytes - 1) / chunkBytes);
        if (used + (long) count * chunkBytes > capacity || !hasFree(count)) {
            return null;
        }
        final List<ByteBuffer> chunks = new ArrayList<>(count);
        final List<ByteBuffer> room = new ArrayList<>(count);
        int left = length;
        while (left > 0) {
            final ByteBuffer chunk = pop();
            final int part = Math.min(left, chunkBytes);
            chunks.add(chunk);
            room.add(chunk.slice(0, part));
            left -= part;
        }
        return new PieceRoom(length, 0, room, chunks);
    }

    /** Gives back what was taken for a while. */
    void giveAfterAWhile(final PieceRoom room) {
        if (room.chunks().isEmpty()) {
            heap.discharge(room.length());
        } else {
            give(room.chunks());
        }
    }

    /** Gives chunks back that nothing reads or writes any more. */
    synchronized void give(final List<ByteBuffer> chunks) {
        for (final ByteBuffer chunk : chunks) {
            free.push(chunk);
        }
        used -= (long) chunks.size() * chunkBytes;
    }
}
