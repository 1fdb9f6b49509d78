package io.spillway.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import io.spillway.protocol.FetchRequests;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.FetchException;
import io.spillway.transport.ServedSegment;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FetchFrame;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the fetches of one connection, in order, with no more bytes queued towards the client
 * than the settings allow. Everything runs on the channel's event loop, but opening a map output
 * that is not cached, which a thread of the server does: at most one at a time for a connection.
 */
final class AnswerQueue {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerQueue.class);

    private final TcpSegmentServer server;
    private final ServerSettings settings;
    private final String jobId;
    private final boolean prefetch;
    private final ChannelHandlerContext ctx;
    private final Runnable onProgress;
    private final Consumer<String> drop;
    private final Queue<FetchFrame> waiting = new ArrayDeque<>();
    private int inFlight;
    private long queuedBytes;
    private boolean opening;
    private boolean closed;

    /**
     * Creates the queue.
     *
     * @param prefetch whether to read ahead for this client, and to send it what was
     * @param onProgress told when bytes leave
     * @param drop ends the connection, for a reason
     */
    AnswerQueue(
            final TcpSegmentServer server,
            final String jobId,
            final boolean prefetch,
            final ChannelHandlerContext ctx,
            final Runnable onProgress,
            final Consumer<String> drop) {
        this.server = server;
        this.settings = server.settings();
        this.jobId = jobId;
        this.prefetch = prefetch;
        this.ctx = ctx;
        this.onProgress = onProgress;
        this.drop = drop;
    }

    /** Takes a fetch; {@link #flush} sends what it led to. */
    void add(final FetchFrame fetch) {
        if (inFlight == settings.credits()) {
            drop.accept("more fetches in flight than its credits=" + settings.credits());
            return;
        }
        inFlight++;
        waiting.add(fetch);
        answerWaiting();
    }

    void flush() {
        ctx.flush();
    }

    void close() {
        closed = true;
        waiting.clear();
    }

    private void answerWaiting() {
        while (!closed && !opening && isRoom() && !waiting.isEmpty()) {
            answer(waiting.remove());
        }
        ctx.channel().config().setAutoRead(isRoom());
    }

    private boolean isRoom() {
        return queuedBytes < settings.connectionBytes();
    }

    private void answer(final FetchFrame fetch) {
        try {
            FetchRequests.check(fetch, jobId, settings.maxRequestLength());
            final ServedSegment cached =
                    server.source().openIfCached(jobId, FetchRequests.segmentOf(fetch));
            if (cached == null) {
                openElsewhere(fetch);
            } else {
                send(fetch, cached);
            }
        } catch (final FetchException e) {
            sendFailure(fetch, e);
        } catch (final RuntimeException e) {
            sendFailure(fetch, unexpected(fetch, e));
        }
    }

    // ---- opening -------------------------------------------------------------------------------

    private void openElsewhere(final FetchFrame fetch) {
        opening = true;
        try {
            server.openers().execute(() -> open(fetch));
        } catch (final RejectedExecutionException e) {
            drop.accept("the node stops");
        }
    }

    /** On a thread of the server. */
    private void open(final FetchFrame fetch) {
        try {
            final ServedSegment segment =
                    server.source().open(jobId, FetchRequests.segmentOf(fetch));
            if (!onEventLoop(() -> opened(fetch, segment))) {
                segment.close();
            }
        } catch (final FetchException e) {
            onEventLoop(() -> openFailed(fetch, e));
        } catch (final RuntimeException | Error e) {
            // Whatever it was, an answer must go out: the fetches behind this one wait for it.
            final FetchException cause = unexpected(fetch, e);
            onEventLoop(() -> openFailed(fetch, cause));
        }
    }

    private boolean onEventLoop(final Runnable task) {
        try {
            ctx.executor().execute(task);
            return true;
        } catch (final RejectedExecutionException e) {
            LOG.debug("The event loop has stopped", e);
            return false;
        }
    }

    private void opened(final FetchFrame fetch, final ServedSegment segment) {
        opening = false;
        if (closed) {
            segment.close();
            return;
        }
        send(fetch, segment);
        answerWaiting();
        ctx.flush();
    }

    private void openFailed(final FetchFrame fetch, final FetchException cause) {
        opening = false;
        if (closed) {
            return;
        }
        sendFailure(fetch, cause);
        answerWaiting();
        ctx.flush();
    }

    private FetchException unexpected(final FetchFrame fetch, final Throwable cause) {
        server.warnings().warn("Serving " + fetch + " failed unexpectedly: " + cause);
        LOG.debug("Serving {} failed unexpectedly", fetch, cause);
        return new FetchException(
                FetchException.Reason.SOURCE_FAILED, "the node failed: " + cause, cause);
    }

    // ---- sending -------------------------------------------------------------------------------

    private void send(final FetchFrame fetch, final ServedSegment segment) {
        final int length;
        try {
            length = FetchRequests.lengthOf(fetch, segment);
        } catch (final FetchException e) {
            segment.close();
            sendFailure(fetch, e);
            return;
        }
        server.counters().addRequest();
        final DataFrame answer = FetchRequests.answer(fetch, segment, length);
        final ByteBuf header = Frames.encode(ctx.alloc(), DataFrame.FRAME_LENGTH, answer::encode);
        if (length == 0) {
            segment.close();
            ctx.write(header).addListener(future -> written(future, 0));
            return;
        }
        final CachedBytes cached = prefetch ? segment.cached(fetch.offset(), length) : null;
        queuedBytes += length;
        Outbound.write(ctx, header);
        if (cached == null) {
            ctx.write(new SegmentRegion(segment, fetch.offset(), length, onProgress))
                    .addListener(future -> written(future, length));
        } else {
            segment.close();
            sendCached(cached, length);
        }
    }

    /** Netty completes writes in their order, so that the last one stands for all. */
    private void sendCached(final CachedBytes cached, final int length) {
        final List<ByteBuffer> buffers = cached.buffers();
        final int last = buffers.size() - 1;
        for (final ByteBuffer buffer : buffers.subList(0, last)) {
            ctx.write(Unpooled.wrappedBuffer(buffer)).addListener(future -> onProgress.run());
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
        written(write, length);
    }

    private void sendFailure(final FetchFrame fetch, final FetchException cause) {
        server.counters().addFailure();
        final FailedFrame frame = FetchRequests.failure(fetch, cause);
        ctx.write(Frames.encode(ctx.alloc(), frame::encode))
                .addListener(future -> written(future, 0));
    }

    private void written(final Future<?> write, final int length) {
        inFlight--;
        queuedBytes -= length;
        if (!write.isSuccess()) {
            writeFailed(write.cause());
            return;
        }
        server.counters().addBytes(length);
        if (closed) {
            return;
        }
        if (!waiting.isEmpty() || !ctx.channel().config().isAutoRead()) {
            answerWaiting();
            ctx.flush();
        }
    }

    /**
     * The client cannot be told any more: it was promised these bytes. It sees the connection end.
     */
    private void writeFailed(final Throwable cause) {
        if (closed) {
            return;
        }
        if (cause instanceof EOFException) {
            drop.accept(cause.getMessage());
        } else {
            LOG.debug("Writing to {} failed", ctx.channel().remoteAddress(), cause);
            Outbound.close(ctx);
        }
    }
}
