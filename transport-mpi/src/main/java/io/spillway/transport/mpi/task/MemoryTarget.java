// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.task;

import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** A channel that writes to memory, as much as there is. Used by one thread. */
final class MemoryTarget implements WritableByteChannel {
    private final ByteBuffer memory;

    MemoryTarget(final ByteBuffer memory) {
        this.memory = memory;
    }

    @Override
    public int write(final ByteBuffer source) {
        final int count = Math.min(memory.remaining(), source.remaining());
        memory.put(source.slice(source.position(), count));
        source.position(source.position() + count);
        return count;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
