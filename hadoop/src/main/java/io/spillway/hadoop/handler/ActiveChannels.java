// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.tcp.server.ProtocolSwitch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * The group into which a stock handler puts each connection once it is active, and before a byte of
 * it is read: puts a {@link SchemeCheck} and a {@link ProtocolSwitch} first into its pipeline, what
 * counts HTTP before stock's own handler, and the connection into stock's own group. Watches the
 * channel that accepts them. Thread-safe.
 */
final class ActiveChannels extends DefaultChannelGroup {
    private final ChannelGroup stock;
    private final StreamServer server;
    private final HttpTraffic http;
    private final Predicate<Throwable> shortage;
    private final AtomicBoolean isWatched = new AtomicBoolean();

    /**
     * Creates the group.
     *
     * @param shortage frees descriptors where they are what is missing; whether that is so
     */
    ActiveChannels(
            final ChannelGroup stock,
            final StreamServer server,
            final HttpTraffic http,
            final Predicate<Throwable> shortage) {
        super("spillway", GlobalEventExecutor.INSTANCE);
        this.stock = stock;
        this.server = server;
        this.http = http;
        this.shortage = shortage;
    }

    /** On the connection's event loop. */
    @Override
    public boolean add(final Channel channel) {
        StockPipeline.addBeforeHandler(channel.pipeline(), http.newConnection());
        addFirst(channel.pipeline());
        if (channel.parent() != null && isWatched.compareAndSet(false, true)) {
            channel.parent().pipeline().addLast(new AcceptFailures());
        }
        return stock.add(channel);
    }

    /** Behind TLS, where stock has it. */
    private void addFirst(final ChannelPipeline pipeline) {
        final ChannelHandlerContext tls = pipeline.context(SslHandler.class);
        final ChannelHandler decides = new ProtocolSwitch(server, StockPipeline::remove);
        if (tls == null) {
            pipeline.addFirst(decides);
        } else {
            pipeline.addAfter(tls.name(), null, decides);
        }
        pipeline.addFirst(new SchemeCheck(tls != null));
    }

    /** Stock reads it for its log. */
    @Override
    public int size() {
        return stock.size();
    }

    /**
     * The last handler of the channel that accepts connections to the shared port. Netty waits for
     * a second after a connection could not be accepted, tries again, and logs each failure with
     * its stack trace. Where descriptors are missing, some are freed and one line says so instead.
     */
    private final class AcceptFailures extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            if (!shortage.test(cause)) {
                context.fireExceptionCaught(cause);
            }
        }
    }
}
