// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.spillway.protocol.PendingWrite;
import io.spillway.protocol.UnackedWrites;
import io.spillway.stream.frame.Frames;
import io.spillway.stream.frame.Outbound;
import io.spillway.wire.PutFrame;
import io.spillway.wire.WriteFrame;
import java.nio.ByteBuffer;

/** Sends the puts, commits and aborts of one connection. Used by the channel's event loop. */
final class WriteSender {
    /** Of longer ones it is to be seen that they move. */
    private static final int MOST_AT_ONCE = 128 << 10;

    private final ChannelHandlerContext ctx;
    private final int version;
    private final UnackedWrites writes;
    private final Runnable onProgress;

    /**
     * Creates the sender.
     *
     * @param version of the session
     * @param onProgress called when bytes leave
     */
    WriteSender(
            final ChannelHandlerContext ctx,
            final int version,
            final UnackedWrites writes,
            final Runnable onProgress) {
        this.ctx = ctx;
        this.version = version;
        this.writes = writes;
        this.onProgress = onProgress;
    }

    /** Queues a write towards the node; where it throws, the write still waits. */
    void send(final PendingWrite write, final long requestId) {
        final WriteFrame frame = write.frame(requestId);
        final ByteBuf header =
                Frames.encode(ctx.alloc(), PutFrame.MAX_LENGTH, version, frame::encode);
        try {
            writes.sent(requestId, write);
        } catch (final RuntimeException | Error e) {
            header.release();
            throw e;
        }
        Outbound.write(ctx, header);
        if (write.length() > 0) {
            sendPayload(write);
        }
    }

    /** The bytes stay with the write until Netty reads them no more, however that ends. */
    private void sendPayload(final PendingWrite write) {
        final ChannelPromise promise = ctx.newPromise();
        promise.addListener(future -> sent(write, future.isSuccess()));
        promise.addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
        write.startSending();
        final ChannelFuture unused = ctx.write(message(write.payload()), promise);
    }

    /**
     * Netty hands short ones outside the heap to the system at once, together with their frames.
     */
    private Object message(final ByteBuffer bytes) {
        return bytes.isDirect() && bytes.remaining() <= MOST_AT_ONCE
                ? Unpooled.wrappedBuffer(bytes)
                : new BufferRegion(bytes, onProgress);
    }

    private void sent(final PendingWrite write, final boolean hasLeft) {
        if (hasLeft) {
            onProgress.run();
        }
        write.stopSending();
    }
}
