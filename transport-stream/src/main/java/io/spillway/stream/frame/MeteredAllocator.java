// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.spillway.transport.DirectMemory;

/** Netty's buffers, each of which outside the heap a {@link DirectMemory} has to grant. */
public final class MeteredAllocator extends AbstractByteBufAllocator {
    private final DirectMemory memory;
    private final ByteBufAllocator buffers;

    /**
     * Creates an allocator.
     *
     * @param buffers makes the buffers that are granted
     */
    public MeteredAllocator(final DirectMemory memory, final ByteBufAllocator buffers) {
        super(true);
        this.memory = memory;
        this.buffers = buffers;
    }

    @Override
    protected ByteBuf newHeapBuffer(final int initialCapacity, final int maxCapacity) {
        return buffers.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(final int initialCapacity, final int maxCapacity) {
        memory.request(initialCapacity);
        return buffers.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return buffers.isDirectBufferPooled();
    }
}
