package io.spillway.hadoop.handler;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.spillway.transport.tcp.ProtocolSwitch;
import io.spillway.transport.tcp.TcpSegmentServer;

/**
 * Stands before stock's acceptor on the listening channel, and puts a {@link ProtocolSwitch} first
 * into the pipeline of each accepted connection. The connection is not registered yet: Netty calls
 * its handlers in the order in which they are added, ours before stock's initializer. Runs on the
 * listening channel's event loop.
 */
final class AcceptHook extends ChannelInboundHandlerAdapter {
    private final TcpSegmentServer server;

    AcceptHook(final TcpSegmentServer server) {
        this.server = server;
    }

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        if (message instanceof Channel accepted) {
            accepted.pipeline().addLast(new ProtocolSwitch(server, StockPipeline::remove));
        }
        context.fireChannelRead(message);
    }
}
