// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.stream.ChunkedInput;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads regions into buffers, some at a time, as the socket takes them: TLS encrypts buffers only,
 * and sendfile cannot encrypt. Stands next to the handler of TLS. On the channel's event loop.
 */
public final class RegionChunks extends ChunkedWriteHandler {
    /** Four records of TLS. */
    private static final int MOST_AT_ONCE = 64 << 10;

    @Override
    public void write(
            final ChannelHandlerContext ctx, final Object message, final ChannelPromise promise)
            throws Exception {
        super.write(
                ctx,
                message instanceof ReadableRegion region ? new Chunks(region) : message,
                promise);
    }

    private static final class Chunks implements ChunkedInput<ByteBuf> {
        private final ReadableRegion region;
        private final long length;
        private long taken;

        Chunks(final ReadableRegion region) {
            this.region = region;
            this.length = region.count();
        }

        @Override
        public boolean isEndOfInput() {
            return taken == length;
        }

        @Override
        @Deprecated
        @SuppressWarnings("InlineMeSuggester") // Netty's own name.
        public ByteBuf readChunk(final ChannelHandlerContext ctx) throws IOException {
            return readChunk(ctx.alloc());
        }

        @Override
        public ByteBuf readChunk(final ByteBufAllocator allocator) throws IOException {
            final int count = (int) Math.min(MOST_AT_ONCE, length - taken);
            final ByteBuf chunk = allocator.directBuffer(count, count);
            boolean isRead = false;
            try {
                final ByteBuffer view = chunk.nioBuffer(0, count);
                region.read(view, taken);
                taken += count;
                isRead = true;
                return chunk.writerIndex(count);
            } finally {
                if (!isRead) {
                    chunk.release();
                }
            }
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public long progress() {
            return taken;
        }

        @Override
        public void close() {
            region.release();
        }
    }
}
