// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.spillway.transport.tcp.server.ProtocolSwitch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.mapred.ShuffleChannelHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes stock's handlers out of the pipeline of a connection that turned out to be ours. */
final class StockPipeline {
    private static final Logger LOG = LoggerFactory.getLogger(StockPipeline.class);

    private StockPipeline() {}

    /**
     * Removes all but the switch and TLS; on the channel's event loop, before any byte reached
     * them.
     */
    static void remove(final ChannelPipeline pipeline) {
        final List<ChannelHandler> handlers = new ArrayList<>(pipeline.toMap().values());
        Collections.reverse(handlers);
        for (final ChannelHandler handler : handlers) {
            if (handler instanceof ProtocolSwitch || handler instanceof SslHandler) {
                continue;
            }
            if (handler instanceof ShuffleChannelHandler stock) {
                leaveCount(pipeline.context(stock), stock);
            }
            pipeline.remove(handler);
        }
    }

    /** Adds a handler that sees what stock's own gets and writes, as messages of HTTP. */
    static void addBeforeHandler(final ChannelPipeline pipeline, final ChannelHandler added) {
        final ChannelHandlerContext stock = pipeline.context(ShuffleChannelHandler.class);
        if (stock != null) {
            pipeline.addBefore(stock.name(), null, added);
        }
    }

    /**
     * The stock handler counted this connection when it became active, towards {@code
     * mapreduce.shuffle.max.connections}, and takes it off when it becomes inactive: for it, that
     * is now. Ours have a limit of their own. The channel stays in the group that stock closes.
     */
    private static void leaveCount(
            final ChannelHandlerContext context, final ShuffleChannelHandler stock) {
        try {
            stock.channelInactive(context);
        } catch (final Exception e) {
            LOG.warn("The stock handler counts a connection too many: {}", e.toString());
        }
    }
}
