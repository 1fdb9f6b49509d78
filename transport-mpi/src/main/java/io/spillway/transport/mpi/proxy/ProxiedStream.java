// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.proxy;

import io.netty.buffer.ByteBuf;
import io.spillway.transport.mpi.library.MpiException;
import io.spillway.transport.mpi.link.LinkMessage;
import io.spillway.transport.mpi.link.LinkMessage.Kind;
import io.spillway.transport.mpi.world.StreamEnd;
import io.spillway.transport.mpi.world.Streams;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A stream of a task. Used by the rank's thread. */
final class ProxiedStream extends StreamEnd {
    private static final Logger LOG = LoggerFactory.getLogger(ProxiedStream.class);

    private final TaskSession session;
    private final int number;

    ProxiedStream(
            final TaskSession session, final Streams streams, final int number, final int rank) {
        super(streams, rank);
        this.session = session;
        this.number = number;
    }

    /** Its number within the link. */
    int number() {
        return number;
    }

    // ---- from the task -------------------------------------------------------------------------

    /** Sends on: bytes that came with the message, then those in the memory. */
    void send(final ByteBuffer inline, final int offset, final int length) {
        boolean underWay = false;
        try {
            final ByteBuf parcel = newParcel().writeBytes(inline);
            if (length == 0) {
                send(parcel);
                return;
            }
            session.useBegins();
            underWay = true;
            send(parcel, session.bytes(), offset, length, failure -> sent(offset, length, failure));
        } catch (final MpiException | RuntimeException | Error e) {
            if (underWay) {
                session.useEnds();
            }
            session.freed(offset, length);
            broken(e);
        }
    }

    private void sent(final int offset, final int length, final MpiException failure) {
        session.freed(offset, length);
        session.useEnds();
        if (failure != null) {
            broken(failure);
        }
    }

    // ---- to the task ---------------------------------------------------------------------------

    @Override
    protected void onOpened() {
        session.send(LinkMessage.of(Kind.OPENED, number), null);
    }

    @Override
    protected void onRefused() {
        leave();
        session.ended(this);
    }

    @Override
    protected Room room(final int length) {
        final int offset = session.take(this, length);
        if (offset < 0) {
            return null;
        }
        session.useBegins();
        return new Part(offset, length);
    }

    @Override
    protected void onBytes(final ByteBuf inline, final Room room, final int length) {
        final int offset = room == null ? 0 : room.offset();
        if (room != null) {
            session.useEnds();
        }
        final int inlineLength = inline == null ? 0 : inline.readableBytes();
        session.send(
                LinkMessage.data(number, inlineLength, offset, length),
                inline == null ? null : inline.nioBuffer());
        if (inline != null) {
            inline.release();
        }
    }

    @Override
    protected void onEnd() {
        leave();
        session.ended(this);
    }

    @Override
    protected void onBroken(final MpiException cause) {
        broken(cause);
    }

    private void broken(final Throwable cause) {
        LOG.debug("A stream to rank {} is broken", rank(), cause);
        leave();
        session.ended(this);
    }

    /** A part of the memory, on loan until the task gives it back. */
    private final class Part implements Room {
        private final int offset;
        private final int length;

        Part(final int offset, final int length) {
            this.offset = offset;
            this.length = length;
        }

        @Override
        public ByteBuffer bytes() {
            return session.bytes();
        }

        @Override
        public int offset() {
            return offset;
        }

        @Override
        public void giveBack() {
            session.give(offset, length);
            session.useEnds();
        }
    }
}
