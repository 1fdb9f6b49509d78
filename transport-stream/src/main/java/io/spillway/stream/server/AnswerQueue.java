// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import io.spillway.protocol.FetchQueue;
import io.spillway.protocol.FetchRequests;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.frame.Frames;
import io.spillway.stream.frame.Outbound;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.ServerStats.Source;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FetchFrame;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the fetches of one connection, in order, with no more bytes queued towards the client
 * than the settings allow. Used by the channel's event loop.
 */
final class AnswerQueue implements FetchQueue.Answerer {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerQueue.class);

    private final StreamServer server;
    private final String jobId;
    private final ServerSettings settings;
    private final int version;
    private final boolean prefetch;
    private final ChannelHandlerContext ctx;
    private final Runnable onProgress;
    private final Runnable onRoom;
    private final Consumer<String> drop;
    private final FetchQueue fetches;
    private long queuedBytes;

    /** A segment without a file is being read, or waits for memory. */
    private boolean copying;

    /**
     * Creates the queue.
     *
     * @param version of the session
     * @param prefetch whether to read ahead for this client, and to send it what was
     * @param onProgress called when bytes leave
     * @param onRoom called when there may be {@linkplain #hasRoomForBytes room} again, or no more
     * @param drop ends the connection, for a reason
     */
    AnswerQueue(
            final StreamServer server,
            final String jobId,
            final int version,
            final boolean prefetch,
            final ChannelHandlerContext ctx,
            final Runnable onProgress,
            final Runnable onRoom,
            final Consumer<String> drop) {
        this.server = server;
        this.jobId = jobId;
        this.settings = server.settings();
        this.version = version;
        this.prefetch = prefetch;
        this.ctx = ctx;
        this.onProgress = onProgress;
        this.onRoom = onRoom;
        this.drop = drop;
        this.fetches =
                new FetchQueue(
                        server.source(),
                        settings,
                        jobId,
                        server.openers(),
                        ctx.executor(),
                        server.warnings(),
                        this);
    }

    /** Takes a fetch; {@link #flush} sends what it led to. */
    void add(final FetchFrame fetch) {
        fetches.add(fetch);
        onRoom.run();
    }

    void flush() {
        ctx.flush();
    }

    void close() {
        fetches.close();
    }

    /** Ends the connection where a fetch could not be answered; to be called now and then. */
    void check() {
        fetches.check();
    }

    @Override
    public boolean hasRoom() {
        return !copying && hasRoomForBytes();
    }

    /** Whether the client has not too many bytes under way to it: else nothing more is read. */
    boolean hasRoomForBytes() {
        return queuedBytes < settings.connectionBytes();
    }

    @Override
    public void resumed() {
        onRoom.run();
        ctx.flush();
    }

    @Override
    public void drop(final String reason) {
        drop.accept(reason);
    }

    // ---- sending -------------------------------------------------------------------------------

    @Override
    public void send(final FetchFrame fetch, final ServedSegment segment) {
        final int length;
        final ByteBuf header;
        CachedBytes cached = null;
        SegmentFile file = null;
        try {
            length = FetchRequests.lengthOf(fetch, segment);
            cached = prefetch && length > 0 ? segment.cached(fetch.offset(), length) : null;
            if (length > 0 && cached == null) {
                file = server.sendsFiles() ? segment.file(fetch.offset(), length) : null;
                if (file == null) {
                    copy(fetch, segment, length);
                    return;
                }
            }
            header = header(fetch, segment, length);
        } catch (final FetchException e) {
            segment.close();
            sendFailure(fetch, e);
            return;
        } catch (final RuntimeException | Error e) {
            segment.close();
            if (cached != null) {
                cached.close();
            }
            throw e;
        }
        server.counters().addRequest();
        // From here on the client is promised these bytes: what fails ends the connection.
        try {
            send(fetch, segment, header, cached, file, length);
        } catch (final RuntimeException | Error e) {
            sendingFailed(e);
        }
    }

    private ByteBuf header(final FetchFrame fetch, final ServedSegment segment, final int length) {
        final DataFrame answer = FetchRequests.answer(fetch, segment, length, version);
        return Frames.encode(ctx.alloc(), DataFrame.MAX_LENGTH, version, answer::encode);
    }

    private void send(
            final FetchFrame fetch,
            final ServedSegment segment,
            final ByteBuf header,
            final CachedBytes cached,
            final SegmentFile file,
            final int length) {
        queuedBytes += length;
        if (length == 0) {
            segment.close();
            ctx.write(header).addListener(future -> written(future));
            return;
        }
        Outbound.write(ctx, header);
        if (cached == null) {
            final Source from = Source.of(segment.tier());
            ctx.write(new SegmentRegion(segment, file, fetch.offset(), length, onProgress))
                    .addListener(future -> written(future, from, length));
        } else {
            segment.close();
            sendCached(cached, length);
        }
    }

    // ---- segments without a file ---------------------------------------------------------------

    private void copy(final FetchFrame fetch, final ServedSegment segment, final int length) {
        final SegmentCopy copy =
                new SegmentCopy(
                        jobId,
                        fetch,
                        segment,
                        length,
                        server.copies(),
                        ctx.alloc(),
                        server.openers(),
                        fetches,
                        this::copied);
        copying = true;
        queuedBytes += length;
        copy.begin();
    }

    private void copied(final SegmentCopy copy) {
        copying = false;
        if (fetches.isClosed()) {
            copy.release();
            return;
        }
        try {
            if (copy.failure() == null) {
                send(copy);
            } else {
                fail(copy, fetches.unreadable(copy.fetch(), copy.failure()));
            }
            fetches.answerWaiting();
            resumed();
        } catch (final RuntimeException | Error e) {
            sendingFailed(e);
        }
    }

    private void send(final SegmentCopy copy) {
        final ByteBuf header;
        try {
            header = header(copy.fetch(), copy.segment(), copy.length());
        } catch (final RuntimeException | Error e) {
            fail(copy, fetches.unexpected(copy.fetch(), e));
            return;
        }
        server.counters().addRequest();
        Outbound.write(ctx, header);
        ctx.write(copy.take()).addListener(future -> copyWritten(future, copy));
    }

    private void copyWritten(final Future<?> write, final SegmentCopy copy) {
        copy.release();
        if (write.isSuccess()) {
            onProgress.run();
        }
        written(write, copy.from(), copy.length());
    }

    private void fail(final SegmentCopy copy, final FetchException cause) {
        copy.release();
        queuedBytes -= copy.length();
        sendFailure(copy.fetch(), cause);
    }

    // ---- the outcome ---------------------------------------------------------------------------

    private void sendingFailed(final Throwable cause) {
        LOG.debug("Sending to {} failed", ctx.channel().remoteAddress(), cause);
        drop("sending to it failed: " + cause);
    }

    /** Netty completes writes in their order, so that the last one stands for all. */
    private void sendCached(final CachedBytes cached, final int length) {
        try {
            writeCached(cached, length);
        } catch (final RuntimeException | Error e) {
            // First the connection, which may hold some of the buffers already.
            sendingFailed(e);
            cached.close();
        }
    }

    private void writeCached(final CachedBytes cached, final int length) {
        final List<ByteBuffer> buffers = cached.buffers();
        final int last = buffers.size() - 1;
        for (final ByteBuffer buffer : buffers.subList(0, last)) {
            ctx.write(Unpooled.wrappedBuffer(buffer))
                    .addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE)
                    .addListener(future -> onProgress.run());
        }
        ctx.write(Unpooled.wrappedBuffer(buffers.get(last)))
                .addListener(future -> cachedWritten(future, cached, length));
    }

    private void cachedWritten(final Future<?> write, final CachedBytes cached, final int length) {
        if (write.isSuccess()) {
            onProgress.run();
            cached.sent();
        }
        cached.close();
        written(write, Source.CACHE, length);
    }

    @Override
    public void sendElsewhere(final FetchFrame fetch, final SegmentPlaces places) {
        final ByteBuf frame =
                Frames.encode(ctx.alloc(), version, FetchRequests.elsewhere(fetch, places)::encode);
        server.counters().addRequest();
        ctx.write(frame).addListener(future -> written(future));
    }

    @Override
    public void sendFailure(final FetchFrame fetch, final FetchException cause) {
        server.counters().addFailure();
        final FailedFrame frame = FetchRequests.failure(fetch, cause);
        ctx.write(Frames.encode(ctx.alloc(), version, frame::encode))
                .addListener(future -> written(future));
    }

    /** Of an answer without bytes of a segment. */
    private void written(final Future<?> write) {
        written(write, Source.UNKNOWN, 0);
    }

    /** Netty would log what this throws, and the fetches that wait would do so for ever. */
    private void written(final Future<?> write, final Source from, final int length) {
        try {
            account(write, from, length);
        } catch (final RuntimeException | Error e) {
            sendingFailed(e);
        }
    }

    private void account(final Future<?> write, final Source from, final int length) {
        fetches.answered();
        queuedBytes -= length;
        if (!write.isSuccess()) {
            writeFailed(write.cause());
            return;
        }
        server.counters().addBytes(from, length);
        if (fetches.isClosed()) {
            return;
        }
        if (fetches.isWaiting() || !ctx.channel().config().isAutoRead()) {
            fetches.answerWaiting();
            resumed();
        }
    }

    /**
     * The client cannot be told any more: it was promised these bytes. It sees the connection end.
     */
    private void writeFailed(final Throwable cause) {
        if (fetches.isClosed()) {
            return;
        }
        if (cause instanceof EOFException) {
            drop(cause.getMessage());
        } else {
            LOG.debug("Writing to {} failed", ctx.channel().remoteAddress(), cause);
            Outbound.close(ctx);
        }
    }
}
