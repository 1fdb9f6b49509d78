package io.spillway.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundInvoker;

/**
 * Operations whose outcome nobody has to wait for: a write that fails ends the connection, and a
 * connection that ends tells its handlers.
 */
final class Outbound {
    private Outbound() {}

    static void close(final ChannelOutboundInvoker channel) {
        final ChannelFuture unused = channel.close();
    }

    static void write(final ChannelOutboundInvoker channel, final ByteBuf frame) {
        final ChannelFuture unused = channel.write(frame);
    }

    static void writeAndFlush(final ChannelOutboundInvoker channel, final ByteBuf frame) {
        final ChannelFuture unused = channel.writeAndFlush(frame);
    }
}
