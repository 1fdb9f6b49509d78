// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import io.spillway.stream.frame.MeteredAllocator;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.mpi.channel.MpiAddress;
import io.spillway.transport.mpi.library.MpiException;
import io.spillway.transport.mpi.library.MpiSettings;
import io.spillway.transport.mpi.library.MpiWorld;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as a rank: its thread, its streams, and the number by which ranks of one world know
 * each other. Thread-safe. There is one a process: MPI can be begun once, and not again after its
 * end.
 */
public final class World implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(World.class);

    /** Launchers start all ranks of a world together. */
    private static final long START_MINUTES = 5;

    /** Other ranks may have ended without a word: MPI waits for them then. */
    private static final long STOP_SECONDS = 5;

    private final RankLoop loop;
    private final Streams streams;
    private MpiWorld mpi;
    private Postman postman;
    private long id;

    private World(final RankLoop loop, final DirectMemory memory) {
        this.loop = loop;
        this.streams = new Streams(allocator(memory));
    }

    private static ByteBufAllocator allocator(final DirectMemory memory) {
        return new MeteredAllocator(memory, PooledByteBufAllocator.DEFAULT);
    }

    /**
     * Joins the world that this process was started in. Waits for the other ranks.
     *
     * @param memory grants what is allocated outside the heap
     * @throws IOException that says what to change
     */
    public static World start(final MpiSettings settings, final DirectMemory memory)
            throws IOException {
        final RankLoop loop = new RankLoop();
        final World world = new World(loop, memory);
        final CompletableFuture<Void> begun = new CompletableFuture<>();
        loop.execute(() -> world.begin(settings, begun));
        try {
            begun.get(START_MINUTES, TimeUnit.MINUTES);
            return world;
        } catch (final ExecutionException e) {
            world.close();
            throw e.getCause() instanceof IOException cause
                    ? new IOException(cause.getMessage(), cause)
                    : new IOException("mpi: " + e.getCause(), e.getCause());
        } catch (final TimeoutException e) {
            throw new IOException(
                    "mpi: the other ranks have not come within " + START_MINUTES + " minutes", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("mpi: interrupted", e);
        }
    }

    private void begin(final MpiSettings settings, final CompletableFuture<Void> begun) {
        try {
            mpi = MpiWorld.start(settings);
            id = agreeOnNumber();
            postman = new Postman(mpi, streams, System::nanoTime);
            streams.use(postman);
            postman.start();
            loop.take(new Duty());
            LOG.info(
                    "Rank {} of {} in world {}: {}, threads {}",
                    mpi.rank(),
                    mpi.size(),
                    MpiAddress.nameOf(id),
                    mpi.libraryVersion(),
                    mpi.threadLevel());
            begun.complete(null);
        } catch (final IOException | RuntimeException | Error e) {
            begun.completeExceptionally(e);
        }
    }

    private long agreeOnNumber() throws MpiException {
        final ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES);
        number.putLong(0, new SecureRandom().nextLong());
        mpi.broadcast(number, Long.BYTES, 0);
        return number.getLong(0);
    }

    /** The number of the world; each start of the ranks has another one. */
    public long id() {
        return id;
    }

    /** The number of this rank. */
    public int rank() {
        return mpi.rank();
    }

    /** How many ranks there are. */
    public int size() {
        return mpi.size();
    }

    /** The MPI library, for people. */
    public String library() {
        return mpi.libraryVersion();
    }

    /** The rank's thread. */
    public RankLoop loop() {
        return loop;
    }

    /** The rank's streams; for its thread. */
    public Streams streams() {
        return streams;
    }

    /**
     * Takes streams for a server.
     *
     * @param service its number within this rank
     * @param handlers makes the handler of each stream
     * @param memory grants what is allocated outside the heap
     * @return its address
     */
    public MpiAddress serve(
            final int service, final Supplier<ChannelHandler> handlers, final DirectMemory memory) {
        final ByteBufAllocator allocator = allocator(memory);
        loop.submit(
                        () ->
                                streams.serve(
                                        service,
                                        rank -> newEnd(service, rank, handlers, allocator)))
                .syncUninterruptibly();
        return new MpiAddress(id, service, rank());
    }

    private StreamEnd newEnd(
            final int service,
            final int fromRank,
            final Supplier<ChannelHandler> handlers,
            final ByteBufAllocator allocator) {
        final RankChannel channel =
                new RankChannel(streams, new MpiAddress(id, service, fromRank), allocator);
        channel.pipeline().addLast(handlers.get());
        channel.onOpened(() -> register(channel));
        return channel.end();
    }

    private void register(final RankChannel channel) {
        final ChannelFuture unused = loop.register(channel);
    }

    /** Takes none any more. */
    public void unserve(final int service) {
        loop.execute(() -> streams.unserve(service));
    }

    /** Ends the streams, then MPI; waits a moment for it. Idempotent. */
    @Override
    public void close() {
        final Future<?> unused = loop.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
        if (!loop.terminationFuture().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS)) {
            LOG.warn("MPI waits for other ranks that have not ended; this rank ends without it");
        }
    }

    private final class Duty implements RankLoop.Duty {
        @Override
        public boolean work() throws IOException {
            return postman.progress() > 0;
        }

        @Override
        public boolean isExpecting() {
            return postman.underWay() > 0;
        }

        @Override
        public void end() {
            try {
                streams.endAll();
                settle();
                mpi.finish();
            } catch (final MpiException | RuntimeException | Error e) {
                LOG.warn("MPI does not end well: {}", e.toString());
            }
        }

        /** Messages that no rank takes any more cannot be called back. */
        private void settle() throws MpiException {
            postman.stop();
            final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            while (!postman.isQuiet() && System.nanoTime() - deadline < 0) {
                postman.progress();
                Thread.onSpinWait();
            }
        }
    }
}
