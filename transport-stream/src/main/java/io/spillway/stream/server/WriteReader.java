// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.spillway.protocol.IncomingWrite;
import io.spillway.protocol.WriteQueue;
import io.spillway.stream.frame.Frames;
import io.spillway.stream.frame.Outbound;
import io.spillway.wire.AckFrame;
import io.spillway.wire.AnswerFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.WriteFrame;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Reads the puts, commits, aborts and calls of one client, and sends their answers. Bytes go from
 * the socket's buffer straight into the sink's memory: that is the only copy made here. Used by the
 * channel's event loop.
 */
final class WriteReader implements WriteQueue.Answerer {
    private final StreamServer server;
    private final int version;
    private final ChannelHandlerContext ctx;
    private final Runnable onResumed;
    private final Consumer<String> drop;
    private final WriteQueue writes;
    private IncomingWrite receiving;
    private boolean flushing;

    /**
     * Creates the reader.
     *
     * @param version of the session
     * @param onResumed called when a write that {@link #isPaused paused} the reading goes on
     * @param drop ends the connection, for a reason
     */
    WriteReader(
            final StreamServer server,
            final String jobId,
            final int version,
            final ChannelHandlerContext ctx,
            final Runnable onResumed,
            final Consumer<String> drop) {
        this.server = server;
        this.version = version;
        this.ctx = ctx;
        this.onResumed = onResumed;
        this.drop = drop;
        this.writes =
                new WriteQueue(
                        server.source(),
                        server.putMemory(),
                        server.commits(),
                        server.settings(),
                        jobId,
                        version,
                        ctx.executor(),
                        server.warnings(),
                        this);
    }

    /** Takes a frame; its payload follows. */
    void begin(final WriteFrame frame) {
        receiving = writes.begin(frame);
        forgetIfWhole();
    }

    private void forgetIfWhole() {
        if (receiving != null && receiving.left() == 0) {
            receiving = null;
        }
    }

    /** Whether the next bytes are of a payload. */
    boolean isReceiving() {
        return receiving != null;
    }

    /** Whether the payload has no room yet: nothing more is to be read. */
    boolean isPaused() {
        return receiving != null && receiving.isWaiting();
    }

    /** Takes as many of these bytes as are of the payload. */
    void read(final ByteBuf in) {
        final int count = Math.min(receiving.left(), in.readableBytes());
        receiving.take(in.nioBuffer(in.readerIndex(), count));
        in.skipBytes(count);
        forgetIfWhole();
    }

    /** Ends the connection where a write could not be answered; to be called now and then. */
    void check() {
        writes.check();
    }

    void close() {
        writes.close();
        receiving = null;
    }

    @Override
    public void acknowledge(final AckFrame frame) {
        server.counters().addRequest();
        Outbound.write(
                ctx, Frames.encode(ctx.alloc(), AckFrame.FRAME_LENGTH, version, frame::encode));
        flushSoon();
    }

    /** After the tasks that wait already: they may acknowledge more. */
    private void flushSoon() {
        if (!flushing) {
            ctx.executor().execute(this::flushNow);
            flushing = true;
        }
    }

    private void flushNow() {
        flushing = false;
        ctx.flush();
    }

    @Override
    public void answer(final AnswerFrame frame, final ByteBuffer bytes, final Runnable onSent) {
        server.counters().addRequest();
        Outbound.write(
                ctx, Frames.encode(ctx.alloc(), AnswerFrame.FRAME_LENGTH, version, frame::encode));
        final ChannelFuture unused =
                ctx.writeAndFlush(Unpooled.wrappedBuffer(bytes))
                        .addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE)
                        .addListener(future -> onSent.run());
    }

    @Override
    public void refuse(final FailedFrame frame) {
        server.counters().addFailure();
        Outbound.writeAndFlush(ctx, Frames.encode(ctx.alloc(), version, frame::encode));
    }

    @Override
    public void resumed(final IncomingWrite write) {
        onResumed.run();
    }

    @Override
    public void drop(final String reason) {
        drop.accept(reason);
    }
}
