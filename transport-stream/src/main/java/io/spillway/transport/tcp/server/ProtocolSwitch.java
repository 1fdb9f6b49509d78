// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;
import io.spillway.stream.frame.Outbound;
import io.spillway.stream.frame.RegionChunks;
import io.spillway.stream.server.StreamServer;
import io.spillway.wire.HelloFrame;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The first handler of a connection on a port shared with another protocol, behind TLS where the
 * port has it: looks at the first bytes. The magic of a HELLO makes the connection ours; anything
 * else makes this handler vanish. Either way, no byte is lost. Everything runs on the channel's
 * event loop.
 */
public final class ProtocolSwitch extends ByteToMessageDecoder {
    private final StreamServer server;
    private final Consumer<ChannelPipeline> removeOthers;

    /**
     * Creates the handler of one connection.
     *
     * @param server serves the connection when it is ours
     * @param removeOthers then removes the other protocol's handlers from the pipeline, but not
     *     that of TLS
     */
    public ProtocolSwitch(final StreamServer server, final Consumer<ChannelPipeline> removeOthers) {
        this.server = Objects.requireNonNull(server, "server");
        this.removeOthers = Objects.requireNonNull(removeOthers, "removeOthers");
    }

    @Override
    protected void decode(
            final ChannelHandlerContext ctx, final ByteBuf in, final List<Object> out) {
        final int seen = Math.min(in.readableBytes(), HelloFrame.MAGIC_LENGTH);
        if (!startsLikeMagic(in, seen)) {
            ctx.pipeline().remove(this);
            return;
        }
        if (seen < HelloFrame.MAGIC_LENGTH) {
            return;
        }
        try {
            removeOthers.accept(ctx.pipeline());
            ctx.pipeline().addAfter(ctx.name(), null, server.newConnection());
            if (ctx.pipeline().get(SslHandler.class) != null) {
                ctx.pipeline().addAfter(ctx.name(), null, new RegionChunks());
            }
            ctx.pipeline().remove(this);
        } catch (final RuntimeException | Error e) {
            // With neither protocol's handlers the connection would stay for ever.
            Outbound.close(ctx);
            throw e;
        }
    }

    private static boolean startsLikeMagic(final ByteBuf in, final int length) {
        for (int i = 0; i < length; i++) {
            final byte expected =
                    (byte) (HelloFrame.MAGIC >>> (Byte.SIZE * (HelloFrame.MAGIC_LENGTH - 1 - i)));
            if (in.getByte(in.readerIndex() + i) != expected) {
                return false;
            }
        }
        return true;
    }
}
