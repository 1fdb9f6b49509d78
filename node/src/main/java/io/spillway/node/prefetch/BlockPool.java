// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory outside the heap, in blocks of one size: allocated when it is first needed, used again
 * from then on, never more than the bound. A block is first reserved, which is quick, and then
 * taken, which may have to allocate it. Thread-safe.
 */
public final class BlockPool {
    private static final Logger LOG = LoggerFactory.getLogger(BlockPool.class);

    private final int blockBytes;
    private final IntFunction<ByteBuffer> allocator;
    private final Deque<ByteBuffer> free = new ArrayDeque<>();

    /** The most blocks; fewer, once the system has refused one. */
    private int capacity;

    private int allocated;
    private int reserved;

    /**
     * Creates a pool that has allocated nothing.
     *
     * @param maxBytes the bound in bytes; blocks take whole multiples of {@code blockBytes} of it
     * @param blockBytes the bytes of a block, at least 1
     */
    public BlockPool(final long maxBytes, final int blockBytes) {
        this(maxBytes, blockBytes, ByteBuffer::allocateDirect);
    }

    /**
     * As the other constructor; {@code allocator} gives memory of as many bytes as it is asked for.
     */
    public BlockPool(
            final long maxBytes, final int blockBytes, final IntFunction<ByteBuffer> allocator) {
        this.blockBytes = blockBytes;
        this.allocator = allocator;
        this.capacity = (int) Math.min(Integer.MAX_VALUE, maxBytes / blockBytes);
    }

    /** The bytes of a block. */
    public int blockBytes() {
        return blockBytes;
    }

    /** The most blocks that can be reserved at a time. */
    public synchronized int capacity() {
        return capacity;
    }

    /** The bytes of the blocks that are reserved. */
    public synchronized long usedBytes() {
        return (long) reserved * blockBytes;
    }

    /** The bytes of memory held, used or not. */
    public synchronized long allocatedBytes() {
        return (long) allocated * blockBytes;
    }

    synchronized boolean hasRoom() {
        return reserved < capacity;
    }

    /** Reserves a block, to be taken. */
    synchronized boolean tryReserve() {
        if (!hasRoom()) {
            return false;
        }
        reserved++;
        return true;
    }

    /**
     * Takes a reserved block.
     *
     * @return null when the system has no memory for it; the reservation is given up then
     */
    ByteBuffer take() {
        synchronized (this) {
            final ByteBuffer block = free.poll();
            if (block != null) {
                return block.clear();
            }
            allocated++;
        }
        try {
            return allocator.apply(blockBytes);
        } catch (final OutOfMemoryError e) {
            // Only this allocation failed: nothing else of the process is affected.
            refused(e);
            return null;
        }
    }

    private synchronized void refused(final OutOfMemoryError cause) {
        allocated--;
        reserved--;
        if (capacity > allocated) {
            capacity = allocated;
            LOG.warn(
                    "Reading map outputs ahead goes on with {} bytes, the system gives no more: {}",
                    (long) capacity * blockBytes,
                    cause.getMessage());
        }
    }

    /** Gives a block back that has no reader any more. */
    synchronized void give(final ByteBuffer block) {
        reserved--;
        if (capacity > 0) {
            free.push(block);
        }
    }

    /** Takes no more reservations, and leaves the memory to the garbage collector. */
    synchronized void close() {
        capacity = 0;
        free.clear();
    }
}
