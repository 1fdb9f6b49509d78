// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOutboundInvoker;

/**
 * Operations whose outcome needs no waiting for: a write that fails is an exception of the
 * pipeline, so that its connection ends, and a connection that ends tells its handlers.
 */
public final class Outbound {
    private Outbound() {}

    public static void close(final ChannelOutboundInvoker channel) {
        final ChannelFuture unused = channel.close();
    }

    public static void write(final ChannelOutboundInvoker channel, final ByteBuf frame) {
        final ChannelFuture unused = endIfFailed(channel.write(frame));
    }

    public static void writeAndFlush(final ChannelOutboundInvoker channel, final ByteBuf frame) {
        final ChannelFuture unused = endIfFailed(channel.writeAndFlush(frame));
    }

    /** A frame that is missing in the stream makes nonsense of what follows. */
    private static ChannelFuture endIfFailed(final ChannelFuture write) {
        return write.addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
    }
}
