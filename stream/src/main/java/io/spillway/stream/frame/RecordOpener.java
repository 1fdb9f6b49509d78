package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.seal.RecordSeal;
import java.util.List;

/**
 * Opens all that a connection receives. A record that does not open is an exception of the
 * pipeline, and nothing after it is read. Everything runs on the channel's event loop.
 */
public final class RecordOpener extends ByteToMessageDecoder {
    private final RecordSeal seal;
    private boolean isBroken;

    /** Opens with the key of the other side's direction. */
    public RecordOpener(final byte[] key) {
        this.seal = new RecordSeal(key);
    }

    @Override
    protected void decode(
            final ChannelHandlerContext ctx, final ByteBuf in, final List<Object> out) {
        if (isBroken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        try {
            final ByteBuf opened = next(ctx, in);
            if (opened != null) {
                out.add(opened);
            }
        } catch (final MalformedFrameException e) {
            isBroken = true;
            ctx.fireExceptionCaught(e);
        }
    }

    private ByteBuf next(final ChannelHandlerContext ctx, final ByteBuf in)
            throws MalformedFrameException {
        if (in.readableBytes() < RecordSeal.BYTES_OFFSET) {
            return null;
        }
        final int length = in.getInt(in.readerIndex() + RecordSeal.LENGTH_OFFSET);
        RecordSeal.checkLength(length);
        if (in.readableBytes() < length + RecordSeal.OVERHEAD) {
            return null;
        }
        in.skipBytes(RecordSeal.BYTES_OFFSET);
        final int sealedLength = length + RecordSeal.TAG_LENGTH;
        final ByteBuf opened = ctx.alloc().directBuffer(length);
        boolean isOpen = false;
        try {
            seal.open(
                    length,
                    in.nioBuffer(in.readerIndex(), sealedLength),
                    opened.nioBuffer(0, length));
            opened.writerIndex(length);
            in.skipBytes(sealedLength);
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                opened.release();
            }
        }
    }

    /** As inherited, but that would read more where reading is paused. */
    @Override
    public void channelReadComplete(final ChannelHandlerContext ctx) {
        discardSomeReadBytes();
        ctx.fireChannelReadComplete();
    }
}
