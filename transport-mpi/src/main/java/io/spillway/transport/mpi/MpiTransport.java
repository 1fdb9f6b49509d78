// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoop;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.OpenChannels;
import io.spillway.stream.client.Openings;
import io.spillway.stream.frame.MeteredAllocator;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.mpi.channel.MpiAddress;
import io.spillway.transport.mpi.task.RankLink;
import io.spillway.transport.mpi.task.TaskChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Fetches and puts over MPI, through the rank of this host: the task itself never calls MPI. One
 * event loop thread for the link to the rank and all streams over it.
 */
public final class MpiTransport implements Transport {
    /** The name of this transport. */
    public static final String NAME = "mpi";

    private static final long STOP_SECONDS = 5;

    private final Path socket;
    private final ClientSettings settings;
    private final NioEventLoopGroup loops;
    private final Bootstrap bootstrap;
    private final Openings openings;
    private final OpenChannels channels = new OpenChannels();

    // Guarded by this object.
    private RankLink link;

    /**
     * Creates the transport.
     *
     * @param lookup returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public MpiTransport(final Function<String, String> lookup) {
        this(RankSocket.of(lookup), lookup, DirectMemory.SYSTEM);
    }

    /**
     * As the other constructor.
     *
     * @param socket where the rank of this host listens
     * @param memory grants what is allocated outside the heap
     */
    MpiTransport(
            final Path socket, final Function<String, String> lookup, final DirectMemory memory) {
        this.socket = socket;
        this.settings = ClientSettings.from(lookup);
        this.openings = new Openings(settings);
        this.loops = new NioEventLoopGroup(1, new DefaultThreadFactory("spillway-mpi", true));
        final ByteBufAllocator allocator =
                new MeteredAllocator(memory, PooledByteBufAllocator.DEFAULT);
        this.bootstrap = new Bootstrap().group(loops).option(ChannelOption.ALLOCATOR, allocator);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Channel open(final NodeAddress address, final JobCredentials credentials)
            throws FetchException {
        channels.requireOpen(address);
        final MpiAddress peer =
                MpiAddress.of(address)
                        .orElseThrow(
                                () ->
                                        new FetchException(
                                                Reason.DISCONNECTED,
                                                address + ": expected WORLD:RANK"));
        final RankLink rank = link(address, peer);
        return channels.add(
                openings.open(
                        address,
                        credentials,
                        handler ->
                                bootstrap
                                        .clone()
                                        .channelFactory(() -> new TaskChannel(rank, peer))
                                        .handler(handler)
                                        .connect(peer)));
    }

    private RankLink link(final NodeAddress address, final MpiAddress peer) throws FetchException {
        final RankLink rank;
        try {
            rank = link();
        } catch (final IOException e) {
            throw new FetchException(Reason.DISCONNECTED, address + ": " + e.getMessage(), e);
        }
        if (rank.world() != peer.world()) {
            throw new FetchException(
                    Reason.DISCONNECTED,
                    address
                            + ": the rank of this host is of world "
                            + MpiAddress.nameOf(rank.world()));
        }
        return rank;
    }

    /** A rank that has ended may have been started again. */
    private synchronized RankLink link() throws IOException {
        if (link == null || !link.isOpen()) {
            link =
                    RankLink.connect(
                            (NioEventLoop) loops.next(), socket, settings.connectTimeoutMillis());
        }
        return link;
    }

    /** Returns when every fetch has been answered for; called by a listener, it does not wait. */
    @Override
    public void close() {
        channels.close();
        synchronized (this) {
            if (link != null) {
                link.close();
            }
        }
        final Future<?> unused = loops.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
        if (!loops.next().inEventLoop()) {
            loops.terminationFuture().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
        }
    }
}
