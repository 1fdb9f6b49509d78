// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.library.MpiException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * One end of a stream at its rank: brings what arrives in order, whichever message carries it. Used
 * by the rank's thread.
 */
public abstract class StreamEnd {
    /** Memory that bytes arrive in. */
    public interface Room {
        /** A direct buffer; position and limit do not matter. */
        ByteBuffer bytes();

        /** Where in it the bytes begin. */
        int offset();

        /** The bytes are not needed, or will not come. */
        void giveBack();
    }

    /** Bytes on their way in, or the end of the stream. */
    private static final class Arrival {
        private final ByteBuf inline;
        private final int length;
        private final int tag;
        private final boolean end;
        private Room room;
        private boolean whole;

        Arrival(final ByteBuf inline, final int length, final int tag, final boolean end) {
            this.inline = inline;
            this.length = length;
            this.tag = tag;
            this.end = end;
            this.whole = length == 0;
        }
    }

    private final Streams streams;
    private final int rank;
    private final Deque<Arrival> arrivals = new ArrayDeque<>();
    private long id;
    private long peer;
    private boolean open;
    private boolean left;

    /**
     * Creates an end.
     *
     * @param rank where the other one is
     */
    protected StreamEnd(final Streams streams, final int rank) {
        this.streams = streams;
        this.rank = rank;
    }

    // ---- what the owner does -------------------------------------------------------------------

    /** The other end's rank. */
    public final int rank() {
        return rank;
    }

    /** Whether the other end is known and this one has not left. */
    public final boolean isOpen() {
        return open && !left;
    }

    /** Asks a rank for the other end; {@link #onOpened} or {@link #onRefused} follow. */
    public final void open(final int service) throws MpiException {
        id = streams.add(this);
        streams.open(this, service, id);
    }

    /** Joins the end that has asked for this one. */
    final void accept(final long peerId) throws MpiException {
        id = streams.add(this);
        peer = peerId;
        open = true;
        streams.opened(this, peer, id);
    }

    /** Begins a parcel with bytes of the stream; {@link #send} follows. */
    public final ByteBuf newParcel() {
        return Streams.newParcel(allocator(), peer, id);
    }

    /** Makes the buffers of this end. */
    protected ByteBufAllocator allocator() {
        return streams.allocator();
    }

    /** How many bytes a parcel still takes. */
    public static int roomIn(final ByteBuf parcel) {
        return PieceSizes.MAX_MESSAGE - parcel.readableBytes();
    }

    /** Sends a parcel without bytes of their own message. */
    public final void send(final ByteBuf parcel) throws MpiException {
        streams.send(this, parcel, 0, 0);
    }

    /**
     * Sends a parcel and the bytes that follow it.
     *
     * @param length 1 to {@link PieceSizes#MAX_BULK}
     * @param listener learns when the memory is free again; always, but where this throws
     */
    public final void send(
            final ByteBuf parcel,
            final ByteBuffer bytes,
            final int offset,
            final int length,
            final BulkListener listener)
            throws MpiException {
        final int tag = announce(parcel, length);
        streams.postman()
                .sendBulk(
                        rank,
                        bytes,
                        offset,
                        length,
                        tag,
                        (toRank, count, failure) -> listener.left(failure));
    }

    /** Sends the parcel that names the tag of the bytes to come. */
    private int announce(final ByteBuf parcel, final int length) throws MpiException {
        final int tag;
        try {
            tag = streams.postman().takeBulkTag(rank);
        } catch (final MpiException e) {
            parcel.release();
            throw e;
        }
        try {
            streams.send(this, parcel, length, tag);
            return tag;
        } catch (final MpiException e) {
            streams.postman().giveBulkTag(rank, tag);
            throw e;
        }
    }

    /** Learns that bytes have left. */
    @FunctionalInterface
    public interface BulkListener {
        /**
         * The memory is the caller's again.
         *
         * @param failure null where the bytes have left
         */
        void left(MpiException failure);
    }

    /** Asks for memory again, for bytes that have found none. */
    public final void roomMayHaveCome() {
        receive();
    }

    /** Ends this end, and tells the other one. Idempotent. */
    public final void leave() {
        if (left) {
            return;
        }
        left = true;
        streams.remove(id);
        if (open) {
            streams.tell(Parcel.Kind.CLOSE, rank, peer, id);
        }
        final Iterator<Arrival> all = arrivals.iterator();
        while (all.hasNext()) {
            if (giveUp(all.next())) {
                all.remove();
            }
        }
    }

    /** Whether nothing is written for it any more. */
    private boolean giveUp(final Arrival arrival) {
        if (arrival.inline != null && arrival.inline.refCnt() > 0) {
            arrival.inline.release();
        }
        if (arrival.room == null) {
            if (arrival.length > 0) {
                streams.postman().drain(rank, arrival.length, arrival.tag);
            }
            return true;
        }
        if (arrival.whole) {
            arrival.room.giveBack();
            return true;
        }
        return false;
    }

    // ---- what the owner learns -----------------------------------------------------------------

    /** The other end is there: it has answered, or has asked for this one. */
    protected abstract void onOpened();

    /** There will be no other end. */
    protected abstract void onRefused();

    /**
     * Memory for bytes that are to come next.
     *
     * @return null where there is none now: {@link #roomMayHaveCome} is to be called when there is
     */
    protected abstract Room room(int length);

    /**
     * Bytes in their order, the owner's from here on.
     *
     * @param inline null for none
     * @param room null for none
     * @param length of the bytes in {@code room}
     */
    protected abstract void onBytes(ByteBuf inline, Room room, int length);

    /** The other end has left, and all that it has sent has arrived. */
    protected abstract void onEnd();

    /** The stream is broken; {@link #leave} is to be called. */
    protected abstract void onBroken(MpiException cause);

    // ---- what arrives --------------------------------------------------------------------------

    final void opened(final long peerId) {
        if (open || left) {
            return;
        }
        peer = peerId;
        open = true;
        onOpened();
    }

    final void arrived(final ByteBuf inline, final int length, final int tag) {
        arrivals.add(new Arrival(inline, length, tag, false));
        receive();
        deliver();
    }

    final void ended() {
        arrivals.add(new Arrival(null, 0, 0, true));
        deliver();
    }

    private void receive() {
        for (final Arrival arrival : arrivals) {
            if (left || (arrival.length > 0 && arrival.room == null && !begin(arrival))) {
                return;
            }
        }
    }

    private boolean begin(final Arrival arrival) {
        final Room room;
        try {
            room = room(arrival.length);
        } catch (final RuntimeException | Error e) {
            onBroken(new MpiException("no memory for bytes of a stream: " + e));
            return false;
        }
        if (room == null) {
            return false;
        }
        arrival.room = room;
        try {
            streams.postman()
                    .receiveBulk(
                            rank,
                            room.bytes(),
                            room.offset(),
                            arrival.length,
                            arrival.tag,
                            (from, length, failure) -> received(arrival, length, failure));
            return true;
        } catch (final MpiException e) {
            arrival.room = null;
            room.giveBack();
            onBroken(e);
            return false;
        }
    }

    private void received(final Arrival arrival, final int length, final MpiException failure) {
        arrival.whole = true;
        if (left) {
            arrivals.remove(arrival);
            arrival.room.giveBack();
        } else if (failure != null) {
            onBroken(failure);
        } else if (length != arrival.length) {
            onBroken(streams.shortMessage(arrival.length, length));
        } else {
            deliver();
        }
    }

    private void deliver() {
        while (!left && !arrivals.isEmpty() && arrivals.element().whole) {
            final Arrival next = arrivals.remove();
            if (next.end) {
                onEnd();
            } else {
                onBytes(next.inline, next.room, next.length);
            }
        }
    }
}
