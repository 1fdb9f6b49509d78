// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * One end of a stream of bytes that messages carry. It hands what arrives to its handlers when they
 * read, and ends when the other end has ended. Used by its event loop.
 *
 * <p>Mirrors {@code io.netty.channel.local.LocalChannel}.
 */
public abstract class PipeChannel extends AbstractChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final ChannelConfig config = new DefaultChannelConfig(this);
    private final Queue<ByteBuf> arrived = new ArrayDeque<>();
    private final SocketAddress peer;
    private boolean open = true;
    private boolean active;
    private boolean readWanted;
    private boolean delivering;
    private boolean peerHasEnded;

    /**
     * Creates an end.
     *
     * @param peer the other one, for logs
     * @param active whether the stream is open already
     */
    protected PipeChannel(final SocketAddress peer, final boolean active) {
        super(null);
        this.peer = peer;
        this.active = active;
    }

    // ---- the stream ----------------------------------------------------------------------------

    /** Asks the other side to open the stream; {@link #opened} or {@code close} follow. */
    protected abstract void open(SocketAddress remote, ChannelPromise promise) throws Exception;

    /** Tells the other side that this one has ended, and gives back what the stream holds. */
    protected abstract void leave();

    /** The handlers want more bytes. */
    protected void readResumed() {}

    /** The other side has opened the stream. */
    protected final void opened(final ChannelPromise promise) {
        active = true;
        if (promise.trySuccess()) {
            pipeline().fireChannelActive();
        }
    }

    /** Bytes have arrived; they belong to this channel. */
    protected final void arrived(final ByteBuf bytes) {
        if (!open) {
            bytes.release();
            return;
        }
        arrived.add(bytes);
        deliver();
    }

    /** The other side sends no more: what it has sent is delivered as far as it is read. */
    protected final void peerEnded() {
        peerHasEnded = true;
        deliver();
        endWithPeer();
    }

    /** Whether the handlers take bytes that arrive now. */
    protected final boolean isReading() {
        return arrived.isEmpty() || config.isAutoRead();
    }

    private void deliver() {
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            while (open && readWanted && !arrived.isEmpty()) {
                readWanted = false;
                deliverWhileRead();
                pipeline().fireChannelReadComplete();
            }
        } finally {
            delivering = false;
        }
        if (open && readWanted) {
            readResumed();
        }
        endWithPeer();
    }

    private void deliverWhileRead() {
        pipeline().fireChannelRead(arrived.remove());
        while (open && config.isAutoRead() && !arrived.isEmpty()) {
            pipeline().fireChannelRead(arrived.remove());
        }
    }

    private void endWithPeer() {
        if (peerHasEnded && open && !delivering) {
            unsafe().close(voidPromise());
        }
    }

    // ---- Netty ---------------------------------------------------------------------------------

    @Override
    public final ChannelConfig config() {
        return config;
    }

    @Override
    public final ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public final boolean isOpen() {
        return open;
    }

    @Override
    public final boolean isActive() {
        return open && active;
    }

    @Override
    protected final SocketAddress localAddress0() {
        return null;
    }

    @Override
    protected final SocketAddress remoteAddress0() {
        return peer;
    }

    @Override
    protected final AbstractUnsafe newUnsafe() {
        return new PipeUnsafe();
    }

    @Override
    protected final void doBind(final SocketAddress localAddress) {
        throw new UnsupportedOperationException("a stream over MPI is not bound");
    }

    /**
     * Lets bytes in memory pass. Nothing else can become part of a message: its write fails with
     * this exception, as Netty's AbstractNioByteChannel has it.
     */
    @Override
    protected Object filterOutboundMessage(final Object message) {
        if (message instanceof ByteBuf) {
            return message;
        }
        throw new UnsupportedOperationException(
                "a stream over MPI takes bytes, not " + message.getClass());
    }

    @Override
    protected final void doDisconnect() {
        doClose();
    }

    @Override
    protected final void doClose() {
        if (open) {
            open = false;
            leave();
            arrived.forEach(ByteBuf::release);
            arrived.clear();
        }
    }

    @Override
    protected final void doBeginRead() {
        readWanted = true;
        if (delivering) {
            return;
        }
        readResumed();
        if (!arrived.isEmpty()) {
            eventLoop().execute(this::deliver);
        }
    }

    private final class PipeUnsafe extends AbstractUnsafe {
        @Override
        public void connect(
                final SocketAddress remote,
                final SocketAddress local,
                final ChannelPromise promise) {
            if (!promise.setUncancellable() || !ensureOpen(promise)) {
                return;
            }
            try {
                open(remote, promise);
            } catch (final Exception e) {
                safeSetFailure(promise, e);
                closeIfClosed();
            }
        }
    }
}
