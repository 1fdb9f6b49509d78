package io.spillway.transport.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.spillway.bootstrap.ControlConnection;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.ConnectionChannel;
import io.spillway.stream.client.ClientConnection;
import io.spillway.stream.client.ClientHandshake;
import io.spillway.stream.client.HandshakeHandler;
import io.spillway.stream.frame.MeteredAllocator;
import io.spillway.stream.frame.Outbound;
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
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

    private final ClientSettings settings;
    private final EventLoopGroup loops;
    private final Bootstrap bootstrap;
    private final SecureRandom random = new SecureRandom();
    private final Set<ConnectionChannel> channels = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

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
        settings = ClientSettings.from(settingsLookup);
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
        return channelOf(prove(address, credentials));
    }

    /**
     * Opens a connection that stands beside another path to the same node. It fails, and takes as
     * long at most, as {@link #open} does.
     */
    ControlConnection openControl(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        final ClientConnection connection = prove(address, credentials);
        return new TcpControlConnection(connection, channelOf(connection));
    }

    private ClientConnection prove(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        if (closed) {
            throw ConnectionChannel.closed(address);
        }
        ClientHandshake.check(address, credentials);
        return connect(address, credentials);
    }

    private ConnectionChannel channelOf(final ClientConnection connection) {
        final ConnectionChannel channel = new ConnectionChannel(connection, channels::remove);
        channels.add(channel);
        if (closed) {
            channel.close();
        }
        return channel;
    }

    private ClientConnection connect(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        final InetSocketAddress remote = new InetSocketAddress(address.host(), address.port());
        if (remote.isUnresolved()) {
            throw new FetchException(Reason.DISCONNECTED, address + ": unknown host");
        }
        final CompletableFuture<ClientConnection> opened = new CompletableFuture<>();
        final ChannelFuture connecting =
                bootstrap
                        .clone()
                        .handler(
                                new HandshakeHandler(
                                        address, credentials, settings, random, opened))
                        .connect(remote);
        connecting.addListener(
                future -> {
                    if (!future.isSuccess()) {
                        opened.completeExceptionally(connectFailed(address, future.cause()));
                    }
                });
        return await(address, connecting, opened);
    }

    private static FetchException connectFailed(final NodeAddress address, final Throwable cause) {
        return cause instanceof ConnectTimeoutException
                ? new FetchException(Reason.TIMED_OUT, address + ": " + cause.getMessage(), cause)
                : ClientConnection.reasonOf(address, cause);
    }

    private ClientConnection await(
            final NodeAddress address,
            final ChannelFuture connecting,
            final CompletableFuture<ClientConnection> opened)
            throws FetchException {
        FetchException failure;
        try {
            return opened.get(settings.connectTimeoutMillis(), TimeUnit.MILLISECONDS);
        } catch (final ExecutionException e) {
            failure = reasonOf(address, e.getCause());
        } catch (final TimeoutException e) {
            failure =
                    new FetchException(
                            Reason.TIMED_OUT,
                            address
                                    + ": not open and authenticated within "
                                    + settings.connectTimeoutMillis()
                                    + " ms",
                            e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = new FetchException(Reason.DISCONNECTED, address + ": interrupted", e);
        }
        connecting.cancel(false);
        Outbound.close(connecting.channel());
        throw failure;
    }

    private static FetchException reasonOf(final NodeAddress address, final Throwable cause) {
        if (cause instanceof FetchException failure) {
            return failure;
        }
        return ConnectionChannel.failed(address, cause);
    }

    /** Returns when every fetch has been answered for; called by a listener, it does not wait. */
    @Override
    public void close() {
        closed = true;
        channels.forEach(ConnectionChannel::close);
        final Future<?> unused = loops.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
        if (!loops.next().inEventLoop()) {
            loops.terminationFuture().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
        }
    }
}
