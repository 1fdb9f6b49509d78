// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.task;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.spillway.transport.mpi.channel.MpiAddress;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.channel.PipeChannel;
import io.spillway.transport.mpi.link.LinkMessage;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * The end of a stream at a task. Bytes to be sent are copied into the memory that the task shares
 * with its rank, once; bytes that arrive are read from there. Used by its event loop.
 */
public final class TaskChannel extends PipeChannel {
    private static final int NONE = -1;

    private final RankLink link;
    private final MpiAddress peer;
    private ChannelPromise opening;
    private int number = NONE;
    private boolean waitsForRoom;

    /** Creates an end; {@code connect} opens the stream. */
    public TaskChannel(final RankLink link, final MpiAddress peer) {
        super(peer, false);
        this.link = link;
        this.peer = peer;
    }

    // ---- life ----------------------------------------------------------------------------------

    @Override
    protected void open(final SocketAddress remote, final ChannelPromise promise)
            throws IOException {
        number = link.add(this);
        opening = promise;
        link.open(number, peer);
    }

    void opened() {
        if (isOpen() && !isActive()) {
            opened(opening);
        }
    }

    /** The other end has left. */
    void ended() {
        if (!isActive()) {
            refuse(new IOException("there is no such server at rank " + peer.rank()));
        }
        peerEnded();
    }

    /** The link has ended. */
    void lost(final IOException cause) {
        if (!isOpen()) {
            return;
        }
        if (isActive()) {
            pipeline().fireExceptionCaught(cause);
        } else {
            refuse(cause);
        }
        unsafe().close(voidPromise());
    }

    private void refuse(final IOException cause) {
        if (opening != null) {
            opening.tryFailure(cause);
        }
    }

    @Override
    protected void leave() {
        if (number != NONE) {
            link.remove(number);
        }
        refuse(new IOException("the stream was closed before it was open"));
    }

    @Override
    protected boolean isCompatible(final EventLoop loop) {
        return true;
    }

    // ---- bytes that arrive ---------------------------------------------------------------------

    void arrived(final ByteBuffer inline) {
        arrived(alloc().directBuffer(inline.remaining()).writeBytes(inline));
    }

    /** Bytes in the memory at {@code offset}. */
    void arrived(final ByteBuffer bytes, final int offset) {
        final int length = bytes.remaining();
        arrived(
                new LentBuffer(
                        alloc(), bytes, () -> link.send(LinkMessage.free(offset, length), null)));
    }

    // ---- bytes to be sent ----------------------------------------------------------------------

    /** Files, too: they are copied into the memory. */
    @Override
    protected Object filterOutboundMessage(final Object message) {
        return message instanceof FileRegion ? message : super.filterOutboundMessage(message);
    }

    void roomMayHaveCome() {
        waitsForRoom = false;
        if (isOpen()) {
            unsafe().flush();
        }
    }

    /** Short buffers go with the message, together; longer ones through the memory. */
    @Override
    protected void doWrite(final ChannelOutboundBuffer in) throws Exception {
        final ByteBuf inline = alloc().directBuffer(PieceSizes.MAX_INLINE, PieceSizes.MAX_INLINE);
        try {
            while (!waitsForRoom && in.current() != null) {
                if (!appendShort(in, inline) && !sendLong(in, inline)) {
                    return;
                }
            }
        } finally {
            sendInline(inline);
            inline.release();
        }
    }

    private static boolean appendShort(final ChannelOutboundBuffer in, final ByteBuf inline) {
        if (!(in.current() instanceof ByteBuf bytes)
                || bytes.readableBytes() > inline.writableBytes()) {
            return false;
        }
        inline.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        in.remove();
        return true;
    }

    private void sendInline(final ByteBuf inline) {
        if (inline.isReadable()) {
            send(inline, 0, 0);
        }
    }

    private void send(final ByteBuf inline, final int offset, final int length) {
        link.send(
                LinkMessage.data(number, inline.readableBytes(), offset, length),
                inline.nioBuffer());
        inline.clear();
    }

    /** Sends a part of the current buffer; returns false where there is no memory for it now. */
    private boolean sendLong(final ChannelOutboundBuffer in, final ByteBuf inline)
            throws IOException {
        final Object message = in.current();
        final long left =
                message instanceof FileRegion region
                        ? region.count() - region.transferred()
                        : ((ByteBuf) message).readableBytes();
        final int length = (int) Math.min(left, PieceSizes.MAX_BULK);
        if (length == 0) {
            in.remove();
            return true;
        }
        final int offset = link.take(this, length);
        if (offset < 0) {
            waitsForRoom = true;
            return false;
        }
        copy(message, link.memory(offset, length));
        send(inline, offset, length);
        if (message instanceof ByteBuf) {
            in.removeBytes(length);
        } else {
            in.progress(length);
            if (length == left) {
                in.remove();
            }
        }
        return true;
    }

    private static void copy(final Object message, final ByteBuffer target) throws IOException {
        if (message instanceof ByteBuf bytes) {
            bytes.getBytes(bytes.readerIndex(), target);
            return;
        }
        final FileRegion region = (FileRegion) message;
        final MemoryTarget channel = new MemoryTarget(target);
        while (target.hasRemaining()) {
            if (region.transferTo(channel, region.transferred()) <= 0) {
                throw new IOException("bytes missing=" + target.remaining() + " of " + region);
            }
        }
    }

    /** Bytes in memory that the rank has lent: they go back to it with the last reference. */
    private static final class LentBuffer extends UnpooledDirectByteBuf {
        private final Runnable giveBack;

        LentBuffer(
                final ByteBufAllocator allocator, final ByteBuffer bytes, final Runnable giveBack) {
            super(allocator, bytes, bytes.remaining());
            this.giveBack = giveBack;
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            giveBack.run();
        }
    }

    /** A channel that writes to memory, as much as there is. */
    private record MemoryTarget(ByteBuffer memory) implements WritableByteChannel {
        @Override
        public int write(final ByteBuffer source) {
            final int count = Math.min(memory.remaining(), source.remaining());
            memory.put(source.slice(source.position(), count));
            source.position(source.position() + count);
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
