// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.server.ProtocolSwitch;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/** A node on loopback whose port has TLS, as a shuffle port has it. */
final class TlsNode implements TransportConformance.Node {
    private static final long EPOCH = 1_700_000_000_123L;

    private final StreamServer server;
    private final NioEventLoopGroup loops = new NioEventLoopGroup(2);
    private final Channel listener;

    TlsNode(
            final SSLContext tls,
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings) {
        server = new StreamServer(source, secrets, settings, EPOCH);
        listener =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(final Channel channel) {
                                        accepted(channel, tls);
                                    }
                                })
                        .bind("127.0.0.1", 0)
                        .syncUninterruptibly()
                        .channel();
    }

    private void accepted(final Channel channel, final SSLContext tls) {
        final SSLEngine engine = tls.createSSLEngine();
        engine.setUseClientMode(false);
        channel.pipeline()
                .addLast(new SslHandler(engine), new ProtocolSwitch(server, pipeline -> {}));
    }

    @Override
    public NodeAddress address() {
        return new NodeAddress(
                "127.0.0.1", ((InetSocketAddress) listener.localAddress()).getPort());
    }

    @Override
    public long epoch() {
        return EPOCH;
    }

    @Override
    public void close() {
        server.close();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
