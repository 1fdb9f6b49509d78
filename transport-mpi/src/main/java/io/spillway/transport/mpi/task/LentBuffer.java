// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.task;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/** Bytes in memory that the rank has lent: they go back to it with the last reference. */
final class LentBuffer extends UnpooledDirectByteBuf {
    private final Runnable giveBack;

    LentBuffer(final ByteBufAllocator allocator, final ByteBuffer bytes, final Runnable giveBack) {
        super(allocator, bytes, bytes.remaining());
        this.giveBack = giveBack;
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        giveBack.run();
    }
}
