// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.spillway.frame.FrameHeader;
import io.spillway.protocol.LogLimiter;
import io.spillway.stream.frame.Frames;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.RefusedFrame;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.mapreduce.MRConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first handler of a connection to a shuffle port, in front of TLS: refuses a client whose
 * first byte is of TLS where the port has none, or of a protocol without TLS where it has. The
 * client gets an answer that it can read and log. On the channel's event loop.
 */
final class SchemeCheck extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(SchemeCheck.class);

    private static final LogLimiter WARNINGS = new LogLimiter(LOG);

    /** The type of the first record of TLS. */
    private static final int TLS_HANDSHAKE = 22;

    private final boolean hasTls;

    /**
     * Creates the handler of one connection.
     *
     * @param hasTls whether the next handler is that of TLS
     */
    SchemeCheck(final boolean hasTls) {
        this.hasTls = hasTls;
    }

    @Override
    protected void decode(
            final ChannelHandlerContext ctx, final ByteBuf in, final List<Object> out) {
        final int first = in.getUnsignedByte(in.readerIndex());
        final boolean isWrong = hasTls ? 'A' <= first && first <= 'Z' : first == TLS_HANDSHAKE;
        if (!isWrong) {
            ctx.pipeline().remove(this);
        } else if (mayBeHello(in)) {
            refuseHello(ctx, in);
        } else {
            refuse(ctx, Unpooled.copiedBuffer(httpRefusal(), StandardCharsets.US_ASCII));
            in.skipBytes(in.readableBytes());
        }
    }

    private static boolean mayBeHello(final ByteBuf in) {
        final int seen = Math.min(in.readableBytes(), HelloFrame.MAGIC_LENGTH);
        for (int i = 0; i < seen; i++) {
            final int shift = Byte.SIZE * (HelloFrame.MAGIC_LENGTH - 1 - i);
            if (in.getByte(in.readerIndex() + i) != (byte) (HelloFrame.MAGIC >>> shift)) {
                return false;
            }
        }
        return true;
    }

    private void refuseHello(final ChannelHandlerContext ctx, final ByteBuf in) {
        if (in.readableBytes() < HelloFrame.MAGIC_LENGTH + FrameHeader.LENGTH) {
            return;
        }
        final int version =
                FrameHeader.version(
                        in.nioBuffer(
                                in.readerIndex() + HelloFrame.MAGIC_LENGTH, FrameHeader.LENGTH));
        final RefusedFrame frame = new RefusedFrame(RefusedFrame.Code.UNAUTHORIZED, message());
        refuse(ctx, Frames.encode(ctx.alloc(), FrameType.VERSIONS.nearest(version), frame::encode));
        in.skipBytes(in.readableBytes());
    }

    /** The reason phrase is what clients log. */
    private String httpRefusal() {
        return "HTTP/1.1 400 " + message() + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    }

    private String message() {
        return MRConfig.SHUFFLE_SSL_ENABLED_KEY
                + "="
                + hasTls
                + " on this node, but "
                + !hasTls
                + " in the job of this connection: set it to the same value on all NodeManagers and"
                + " in jobs, and restart the NodeManagers";
    }

    private void refuse(final ChannelHandlerContext ctx, final ByteBuf answer) {
        WARNINGS.warn(
                "Refusing the connection of " + ctx.channel().remoteAddress() + ": " + message());
        ctx.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }
}
