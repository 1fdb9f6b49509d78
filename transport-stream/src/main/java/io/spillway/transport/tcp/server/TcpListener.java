// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.spillway.stream.frame.MeteredAllocator;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A port of its own for a {@link StreamServer}, where there is no stock handler whose port it could
 * share. Thread-safe.
 */
public final class TcpListener implements AutoCloseable {
    /** What one read of a socket brings, in bytes: it grows with what comes. */
    private static final int LEAST_READ = 64;

    private static final int FIRST_READ = 2 << 10;
    private static final int MOST_READ = 128 << 10;

    /** Reads of a socket before what they led to is sent: puts are acknowledged together. */
    private static final int MOST_READS = 4;

    /** Connections that wait to be accepted; the kernel may allow less. */
    public static final int BACKLOG = 1024;

    private static final long STOP_SECONDS = 5;

    private final EventLoopGroup loops;
    private final Channel listener;

    private TcpListener(final EventLoopGroup loops, final Channel listener) {
        this.loops = loops;
        this.listener = listener;
    }

    /**
     * Listens.
     *
     * @param address where; port 0 takes any free one
     * @param server serves what is accepted; not closed with this object
     * @param threads the event loops, at least 1
     */
    public static TcpListener bind(
            final InetSocketAddress address, final StreamServer server, final int threads) {
        return bind(address, server, threads, PooledByteBufAllocator.DEFAULT);
    }

    /** As {@link #bind}; {@code memory} grants what connections allocate outside the heap. */
    public static TcpListener bind(
            final InetSocketAddress address,
            final StreamServer server,
            final int threads,
            final DirectMemory memory) {
        return bind(
                address,
                server,
                threads,
                new MeteredAllocator(memory, PooledByteBufAllocator.DEFAULT));
    }

    private static TcpListener bind(
            final InetSocketAddress address,
            final StreamServer server,
            final int threads,
            final ByteBufAllocator allocator) {
        final EventLoopGroup loops =
                new NioEventLoopGroup(threads, new DefaultThreadFactory("spillway-node", true));
        try {
            final ServerBootstrap bootstrap =
                    new ServerBootstrap()
                            .group(loops)
                            .channel(NioServerSocketChannel.class)
                            .option(ChannelOption.SO_BACKLOG, BACKLOG)
                            .childOption(ChannelOption.ALLOCATOR, allocator)
                            .childOption(
                                    ChannelOption.RCVBUF_ALLOCATOR,
                                    new AdaptiveRecvByteBufAllocator(
                                                    LEAST_READ, FIRST_READ, MOST_READ)
                                            .maxMessagesPerRead(MOST_READS))
                            .childOption(ChannelOption.TCP_NODELAY, true)
                            .childOption(ChannelOption.SO_KEEPALIVE, true)
                            .childHandler(new ConnectionInitializer(server));
            return new TcpListener(loops, bootstrap.bind(address).syncUninterruptibly().channel());
        } catch (final Throwable e) {
            final Future<?> unused = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw e;
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Stops listening, and ends the connections accepted. Idempotent. */
    @Override
    public void close() {
        loops.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static final class ConnectionInitializer extends ChannelInitializer<Channel> {
        private final StreamServer server;

        ConnectionInitializer(final StreamServer server) {
            this.server = server;
        }

        @Override
        protected void initChannel(final Channel channel) {
            channel.pipeline().addLast(server.newConnection());
        }
    }
}
