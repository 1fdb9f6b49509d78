// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.SocketChannel;
import io.spillway.seal.RecordSeal;
import io.spillway.seal.SealKeys;

/** Seals all that a connection sends. Everything runs on the channel's event loop. */
public final class RecordSealer extends ChannelOutboundHandlerAdapter {
    /**
     * Longer messages are sealed when the socket takes them: until then they may lie in memory that
     * is held anyway, and their records would lie beside it, as many as a slow reader has asked
     * for.
     */
    private static final int MOST_AT_ONCE = 4 << 10;

    private final RecordSeal seal;

    /** Seals with the keys of this side's direction. */
    public RecordSealer(final SealKeys keys) {
        this.seal = keys.records();
    }

    @Override
    public void write(
            final ChannelHandlerContext ctx, final Object message, final ChannelPromise promise) {
        final ChannelFuture unused = ctx.write(sealed(ctx, message), promise);
    }

    private Object sealed(final ChannelHandlerContext ctx, final Object message) {
        if (message instanceof ReadableRegion region) {
            return new SealedRegion(region, region.count(), seal, ctx.alloc());
        }
        final ByteBuf bytes = (ByteBuf) message;
        final int length = bytes.readableBytes();
        if (length > MOST_AT_ONCE && ctx.channel() instanceof SocketChannel) {
            return new SealedRegion(bytes, length, seal, ctx.alloc());
        }
        try {
            return sealedNow(ctx, bytes);
        } finally {
            bytes.release();
        }
    }

    private ByteBuf sealedNow(final ChannelHandlerContext ctx, final ByteBuf bytes) {
        final int length = (int) RecordSeal.sealedLength(bytes.readableBytes());
        final ByteBuf out = ctx.alloc().directBuffer(length);
        boolean isSealed = false;
        try {
            final long first = seal.reserve(bytes.readableBytes());
            seal.seal(first, bytes.nioBuffer(), out.nioBuffer(0, length));
            isSealed = true;
            return out.writerIndex(length);
        } finally {
            if (!isSealed) {
                out.release();
            }
        }
    }
}
