package io.spillway.stream.frame;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Bytes of another owner, lent until the last reference is released, also where the channel that
 * was to send them ends before: a channel that cannot stop to send keeps a reference. They are read
 * only. A {@code CompositeByteBuf}, as Netty has no other class that wraps read-only bytes and can
 * be extended.
 */
public final class OwningBuffer extends CompositeByteBuf {
    private final Runnable giveBack;

    /**
     * Wraps bytes.
     *
     * @param bytes the remaining ones are wrapped
     * @param giveBack run once, by the thread that releases the last reference
     */
    public OwningBuffer(
            final ByteBufAllocator allocator, final ByteBuffer bytes, final Runnable giveBack) {
        super(allocator, bytes.isDirect(), 1, Unpooled.wrappedBuffer(bytes));
        this.giveBack = giveBack;
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        giveBack.run();
    }
}
