package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.SocketChannel;
import io.spillway.wire.seal.RecordSeal;
import java.nio.ByteBuffer;

/** Seals all that a connection sends. Everything runs on the channel's event loop. */
public final class RecordSealer extends ChannelOutboundHandlerAdapter {
    private final RecordSeal seal;

    /** Seals with the key of this side's direction. */
    public RecordSealer(final byte[] key) {
        this.seal = new RecordSeal(key);
    }

    @Override
    public void write(
            final ChannelHandlerContext ctx, final Object message, final ChannelPromise promise) {
        final ChannelFuture unused = ctx.write(sealed(ctx, message), promise);
    }

    private Object sealed(final ChannelHandlerContext ctx, final Object message) {
        if (message instanceof ProgressRegion region) {
            return new SealedRegion(
                    region::read, region.count(), seal, ctx.alloc(), region::release);
        }
        final ByteBuf bytes = (ByteBuf) message;
        final int length = bytes.readableBytes();
        if (length > RecordSeal.MAX_LENGTH && ctx.channel() instanceof SocketChannel) {
            final int start = bytes.readerIndex();
            return new SealedRegion(
                    (target, position) -> bytes.getBytes(start + (int) position, target),
                    length,
                    seal,
                    ctx.alloc(),
                    bytes::release);
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
        final ByteBuffer target = out.nioBuffer(0, length);
        long record = seal.reserve(bytes.readableBytes());
        while (bytes.isReadable()) {
            final int count = Math.min(RecordSeal.MAX_LENGTH, bytes.readableBytes());
            seal.seal(record++, bytes.nioBuffer(bytes.readerIndex(), count), target);
            bytes.skipBytes(count);
        }
        return out.writerIndex(length);
    }
}
