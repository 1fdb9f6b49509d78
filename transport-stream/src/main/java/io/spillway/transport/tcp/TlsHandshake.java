// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import javax.net.ssl.SSLSession;

/**
 * Keeps the next handlers waiting until TLS has a session with the node that was asked for. Stands
 * behind the handler of TLS. On the channel's event loop.
 */
final class TlsHandshake extends ChannelInboundHandlerAdapter {
    private final NodeAddress address;
    private final ClientTls tls;

    TlsHandshake(final NodeAddress address, final ClientTls tls) {
        this.address = address;
        this.tls = tls;
    }

    @Override
    public void channelActive(final ChannelHandlerContext ctx) {
        // For the next handlers, the channel is active after the hand-shake.
    }

    @Override
    public void userEventTriggered(final ChannelHandlerContext ctx, final Object event)
            throws Exception {
        if (event instanceof SslHandshakeCompletionEvent end) {
            ended(ctx, end);
        } else {
            super.userEventTriggered(ctx, event);
        }
    }

    private void ended(final ChannelHandlerContext ctx, final SslHandshakeCompletionEvent end) {
        if (!end.isSuccess()) {
            ctx.fireExceptionCaught(TlsFailure.of(address, end.cause()));
            return;
        }
        final SSLSession session = ctx.pipeline().get(SslHandler.class).engine().getSession();
        if (!tls.isOf(address.host(), session)) {
            ctx.fireExceptionCaught(
                    new FetchException(
                            Reason.UNAUTHORIZED,
                            address
                                    + ": its certificate does not name that host, expected one that"
                                    + " does, or another hadoop.ssl.hostname.verifier"));
            return;
        }
        ctx.fireChannelActive();
        ctx.pipeline().remove(this);
    }
}
