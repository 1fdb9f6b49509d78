// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.spillway.bootstrap.ControlConnection;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.OpenChannels;
import io.spillway.stream.client.ClientConnection;
import io.spillway.stream.client.Openings;
import io.spillway.stream.frame.MeteredAllocator;
import io.spillway.stream.frame.RegionChunks;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Fetches over TCP, from nodes that a {@link StreamServer} serves. One event loop thread for all
 * channels, and about 1 MiB of direct memory, whatever the number of channels.
 *
 * <p>On Java's selector, not on Netty's native epoll: for one thread and a few connections both
 * take the same CPU per byte, and loading the native library costs a task's JVM 30 to 70 ms more.
 */
public final class TcpTransport implements Transport {
    /** The name of this transport. */
    public static final String NAME = TransportOffer.TCP;

    /** What one read of a socket brings at most. */
    private static final int RECEIVE_BUFFER_BYTES = 128 << 10;

    private static final int PAGE_BYTES = 8 << 10;

    /**
     * Chunks of 8 KiB x 2^7 = 1 MiB. The receive buffer must stay below a quarter of it: a chunk
     * that was used more than that is given back to the system whenever it is empty, so that each
     * read would map and zero a new one.
     */
    private static final int CHUNK_ORDER = 7;

    private static final long STOP_SECONDS = 5;

    private final EventLoopGroup loops;
    private final Bootstrap bootstrap;
    private final Openings openings;
    private final Openings tlsOpenings;
    private final Optional<ClientTls> tls;
    private final OpenChannels channels = new OpenChannels();

    /**
     * Creates the transport.
     *
     * @param settingsLookup returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public TcpTransport(final Function<String, String> settingsLookup) {
        this(settingsLookup, DirectMemory.SYSTEM);
    }

    /**
     * Creates the transport.
     *
     * @param settingsLookup returns the text of a property, or null where it is not set
     * @param memory grants what is allocated outside the heap
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public TcpTransport(final Function<String, String> settingsLookup, final DirectMemory memory) {
        this(settingsLookup, memory, Optional.empty());
    }

    /**
     * Creates the transport.
     *
     * @param settingsLookup returns the text of a property, or null where it is not set
     * @param tls of shuffle ports; belongs to this object from here on. Nodes that another one has
     *     named, and the placement service, have ports of their own, without TLS
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public TcpTransport(
            final Function<String, String> settingsLookup, final Optional<ClientTls> tls) {
        this(settingsLookup, DirectMemory.SYSTEM, tls);
    }

    private TcpTransport(
            final Function<String, String> settingsLookup,
            final DirectMemory memory,
            final Optional<ClientTls> tls) {
        final ClientSettings settings = ClientSettings.from(settingsLookup);
        openings = new Openings(settings);
        tlsOpenings = new Openings(ClientSettings.ofShufflePort(settingsLookup));
        this.tls = tls;
        loops = new NioEventLoopGroup(1, new DefaultThreadFactory("spillway-tcp", true));
        final ByteBufAllocator allocator =
                new MeteredAllocator(
                        memory,
                        new PooledByteBufAllocator(
                                true, 0, 1, PAGE_BYTES, CHUNK_ORDER, 0, 0, false));
        bootstrap =
                new Bootstrap()
                        .group(loops)
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.ALLOCATOR, allocator)
                        .option(
                                ChannelOption.RCVBUF_ALLOCATOR,
                                new FixedRecvByteBufAllocator(RECEIVE_BUFFER_BYTES))
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.SO_KEEPALIVE, true)
                        .option(
                                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                                (int) settings.connectTimeoutMillis());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Channel open(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        return channels.add(connect(address, credentials));
    }

    /**
     * Opens a connection that stands beside another path to the same node. It fails, and takes as
     * long at most, as {@link #open} does.
     */
    ControlConnection openControl(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        final ClientConnection connection = connect(address, credentials);
        return new TcpControlConnection(connection, channels.add(connection));
    }

    private ClientConnection connect(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        channels.requireOpen(address);
        final InetSocketAddress remote = new InetSocketAddress(address.host(), address.port());
        if (remote.isUnresolved()) {
            throw new FetchException(Reason.DISCONNECTED, address + ": unknown host");
        }
        if (tls.isPresent() && !credentials.isForNode()) {
            return tlsOpenings.open(
                    address,
                    credentials,
                    handler ->
                            bootstrap
                                    .clone()
                                    .handler(insideTls(tls.get(), address, handler))
                                    .connect(remote));
        }
        return openings.open(
                address,
                credentials,
                handler -> bootstrap.clone().handler(handler).connect(remote));
    }

    private static ChannelHandler insideTls(
            final ClientTls tls, final NodeAddress address, final ChannelHandler handler) {
        final SslHandler encrypting = new SslHandler(tls.newEngine());
        // The opening of a connection has a limit of its own.
        encrypting.setHandshakeTimeoutMillis(0);
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(final io.netty.channel.Channel channel) {
                channel.pipeline()
                        .addLast(
                                encrypting,
                                new RegionChunks(),
                                new TlsHandshake(address, tls),
                                handler);
            }
        };
    }

    /** Returns when every fetch has been answered for; called by a listener, it does not wait. */
    @Override
    public void close() {
        channels.close();
        tls.ifPresent(ClientTls::close);
        final Future<?> unused = loops.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
        if (!loops.next().inEventLoop()) {
            loops.terminationFuture().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
        }
    }
}
