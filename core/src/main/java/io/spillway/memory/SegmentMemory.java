package io.spillway.memory;

import io.spillway.transport.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A bounded amount of memory outside the heap, in chunks of one length. They are cut from slabs
 * that are allocated when needed and never given back, for the first touch of a page costs ten
 * times a warm copy. What is kept about the bytes on the heap counts too. Thread-safe.
 */
final class SegmentMemory {
    private static final int SLAB_BYTES = 16 << 20;

    private final long capacity;
    private final int chunkBytes;
    private final DirectMemory memory;
    private final Deque<ByteBuffer> free = new ArrayDeque<>();
    private long allocated;
    private long used;

    /**
     * Creates the memory.
     *
     * @param capacity in bytes, at least {@code chunkBytes}
     * @param chunkBytes of a chunk, 1 to 16 MiB
     * @param memory grants the slabs
     */
    SegmentMemory(final long capacity, final int chunkBytes, final DirectMemory memory) {
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
        this.chunkBytes = chunkBytes;
        this.memory = memory;
    }

    int chunkBytes() {
        return chunkBytes;
    }

    long capacity() {
        return capacity;
    }

    /** The bytes in use: whole chunks, and what is {@linkplain #charge charged}. */
    synchronized long used() {
        return used;
    }

    /** A chunk; null where there is no room. Its bytes are anything. */
    synchronized ByteBuffer take() {
        if (used + chunkBytes > capacity) {
            return null;
        }
        if (free.isEmpty()) {
            allocate();
        }
        used += chunkBytes;
        return free.pop();
    }

    private void allocate() {
        final long most = Math.min(SLAB_BYTES, capacity - allocated);
        final int chunks = Math.max(1, (int) (most / chunkBytes));
        final ByteBuffer slab = memory.allocate(chunks * chunkBytes);
        for (int i = 0; i < chunks; i++) {
            free.push(slab.slice(i * chunkBytes, chunkBytes));
        }
        allocated += slab.capacity();
    }

    /** Gives chunks back that nothing reads or writes any more. */
    synchronized void give(final List<ByteBuffer> chunks) {
        for (final ByteBuffer chunk : chunks) {
            free.push(chunk);
        }
        used -= (long) chunks.size() * chunkBytes;
    }

    /** Counts bytes of the heap; returns whether there is room for them. */
    synchronized boolean charge(final long bytes) {
        if (used + bytes > capacity) {
            return false;
        }
        used += bytes;
        return true;
    }

    /** Counts bytes of the heap no longer. */
    synchronized void discharge(final long bytes) {
        used -= bytes;
    }
}
