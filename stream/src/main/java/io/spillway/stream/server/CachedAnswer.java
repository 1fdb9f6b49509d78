package io.spillway.stream.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.spillway.stream.frame.OwningBuffer;
import io.spillway.transport.CachedBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A piece of a segment in memory on its way out. It is closed with the last reference on its
 * buffers, and not before {@link #end}.
 */
final class CachedAnswer {
    private final CachedBytes piece;

    /** The buffers, and the answer itself. */
    private final AtomicInteger references = new AtomicInteger(1);

    /** Takes over a piece; {@link #end} follows. */
    CachedAnswer(final CachedBytes piece) {
        this.piece = piece;
    }

    /** The piece; the buffers are the caller's. */
    List<ByteBuf> buffers(final ByteBufAllocator allocator) {
        final List<ByteBuffer> pieces = piece.buffers();
        final List<ByteBuf> buffers = new ArrayList<>(pieces.size());
        try {
            for (final ByteBuffer bytes : pieces) {
                buffers.add(new OwningBuffer(allocator, bytes, this::release));
                references.incrementAndGet();
            }
        } catch (final RuntimeException | Error e) {
            buffers.forEach(ByteBuf::release);
            throw e;
        }
        return buffers;
    }

    /** All of it went out. */
    void sent() {
        piece.sent();
    }

    /** There will be no more buffers. */
    void end() {
        release();
    }

    private void release() {
        if (references.decrementAndGet() == 0) {
            piece.close();
        }
    }
}
