// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.spillway.transport.mpi.channel.MpiAddress;
import io.spillway.transport.mpi.channel.PipeChannel;
import io.spillway.transport.mpi.library.MpiException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;

/** The end of a stream at the server of a rank. Used by the rank's thread. */
final class RankChannel extends PipeChannel {
    private final End end;
    private final Outgoing outgoing;
    private Runnable whenOpened = () -> {};

    RankChannel(final Streams streams, final MpiAddress peer, final ByteBufAllocator allocator) {
        super(peer, true);
        config().setAllocator(allocator);
        this.end = new End(streams, peer.rank());
        this.outgoing = new Outgoing(end, allocator, this::writeMore, this::broken);
    }

    StreamEnd end() {
        return end;
    }

    /** What to do when the other end knows this one. */
    void onOpened(final Runnable task) {
        whenOpened = task;
    }

    @Override
    protected void open(final SocketAddress remote, final ChannelPromise promise) {
        throw new UnsupportedOperationException("a server opens no streams");
    }

    @Override
    protected boolean isCompatible(final EventLoop loop) {
        return loop instanceof RankLoop;
    }

    @Override
    protected void doWrite(final ChannelOutboundBuffer in) throws IOException {
        try {
            outgoing.write(in);
        } catch (final IOException e) {
            throw e;
        } catch (final Exception | Error e) {
            // Netty ends a channel for this one only; bytes of the stream are missing now.
            throw new IOException("sending failed: " + e, e);
        }
    }

    private void writeMore() {
        if (isOpen()) {
            unsafe().flush();
        }
    }

    private void broken(final MpiException cause) {
        if (isOpen()) {
            pipeline().fireExceptionCaught(cause);
            unsafe().close(voidPromise());
        }
    }

    @Override
    protected void leave() {
        end.leave();
    }

    @Override
    protected void readResumed() {
        end.roomMayHaveCome();
    }

    private final class End extends StreamEnd {
        End(final Streams streams, final int rank) {
            super(streams, rank);
        }

        @Override
        protected ByteBufAllocator allocator() {
            return alloc();
        }

        @Override
        protected void onOpened() {
            whenOpened.run();
        }

        @Override
        protected void onRefused() {
            throw new UnsupportedOperationException("a server opens no streams");
        }

        /** While the handlers do not read, what comes stays with its sender. */
        @Override
        protected Room room(final int length) {
            return isReading() ? new Buffer(alloc().directBuffer(length, length)) : null;
        }

        @Override
        protected void onBytes(final ByteBuf inline, final Room room, final int length) {
            if (inline != null) {
                RankChannel.this.arrived(inline);
            }
            if (room != null) {
                RankChannel.this.arrived(((Buffer) room).buffer.writerIndex(length));
            }
        }

        @Override
        protected void onEnd() {
            peerEnded();
        }

        @Override
        protected void onBroken(final MpiException cause) {
            broken(cause);
        }
    }

    private static final class Buffer implements StreamEnd.Room {
        private final ByteBuf buffer;

        Buffer(final ByteBuf buffer) {
            this.buffer = buffer;
        }

        @Override
        public ByteBuffer bytes() {
            return buffer.nioBuffer(0, buffer.capacity());
        }

        @Override
        public int offset() {
            return 0;
        }

        @Override
        public void giveBack() {
            buffer.release();
        }
    }
}
