// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.RecordSeal;
import io.spillway.seal.SealKeys;

/**
 * Opens all that a connection receives. A record that does not open is an exception of the
 * pipeline, and nothing after it is read. Everything runs on the channel's event loop.
 *
 * <p>What has come of a record is kept, in the heap, where the record is opened once it is whole.
 * So a connection never holds more than one record, however fast its bytes come.
 */
public final class RecordOpener extends ChannelInboundHandlerAdapter {
    private final RecordSeal seal;

    /** The length that the record begins with, as far as its bytes have come. */
    private int length;

    private int lengthBytes;

    /** What has come of a record, without its length; null for nothing. */
    private ByteBuf begun;

    private boolean isBroken;

    /** Opens with the keys of the other side's direction. */
    public RecordOpener(final SealKeys keys) {
        this.seal = keys.records();
    }

    @Override
    public void channelRead(final ChannelHandlerContext ctx, final Object message) {
        final ByteBuf in = (ByteBuf) message;
        try {
            while (!isBroken && in.isReadable()) {
                read(ctx, in);
            }
        } catch (final MalformedFrameException e) {
            isBroken = true;
            ctx.fireExceptionCaught(e);
        } catch (final RuntimeException | Error e) {
            isBroken = true;
            throw e;
        } finally {
            in.release();
        }
    }

    @Override
    public void handlerRemoved(final ChannelHandlerContext ctx) {
        releaseBegun();
    }

    private void read(final ChannelHandlerContext ctx, final ByteBuf in)
            throws MalformedFrameException {
        if (lengthBytes < RecordSeal.BYTES_OFFSET) {
            readLength(in);
        } else {
            keep(ctx, in);
        }
    }

    private void readLength(final ByteBuf in) throws MalformedFrameException {
        length = length << Byte.SIZE | in.readUnsignedByte();
        lengthBytes++;
        if (lengthBytes == RecordSeal.BYTES_OFFSET) {
            RecordSeal.checkLength(length);
        }
    }

    private int sealedLength() {
        return length + RecordSeal.TAG_LENGTH;
    }

    private void keep(final ChannelHandlerContext ctx, final ByteBuf in)
            throws MalformedFrameException {
        if (begun == null) {
            begun = ctx.alloc().heapBuffer(sealedLength(), sealedLength());
        }
        begun.writeBytes(in, Math.min(begun.writableBytes(), in.readableBytes()));
        if (!begun.isWritable()) {
            seal.open(begun.array(), begun.arrayOffset(), length);
            final ByteBuf opened = begun.writerIndex(length);
            begun = null;
            // The next one begins with its length again.
            length = 0;
            lengthBytes = 0;
            ctx.fireChannelRead(opened);
        }
    }

    private void releaseBegun() {
        if (begun != null) {
            begun.release();
            begun = null;
        }
    }
}
