// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.library.MpiException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What a channel of a rank has to send. Short buffers are copied into parcels. Long ones are sent
 * in pieces, from where they lie if a reference to them keeps their bytes there. Other bytes belong
 * to their owner again when the channel ends, while MPI may still send them: their pieces are
 * copied, each right before it is sent, so that copies take no more memory than what is on its way.
 * A buffer counts as written when the last of its bytes has left or is copied. Used by the rank's
 * thread.
 */
final class Outgoing {
    /** The most bytes that MPI has of one stream. */
    private static final int WINDOW_BYTES = 4 << 20;

    /** A buffer of the channel, in the order of the stream. */
    private static final class Item {
        private final ByteBuf bytes;
        private final boolean isOwned;
        private int next;

        /** Pieces that MPI reads from the buffer itself. */
        private int lent;

        Item(final ByteBuf bytes) {
            this.bytes = bytes;
            this.isOwned =
                    bytes.isDirect()
                            && bytes.nioBufferCount() == 1
                            && bytes.alloc() instanceof PooledByteBufAllocator;
            this.next = bytes.readerIndex();
        }

        int left() {
            return bytes.writerIndex() - next;
        }

        boolean hasLeft() {
            return left() == 0 && lent == 0;
        }

        void appendTo(final ByteBuf parcel) {
            parcel.writeBytes(bytes, next, left());
            next = bytes.writerIndex();
        }

        /** The next bytes, in memory that stays as it is until they are released. */
        ByteBuf take(final int length, final ByteBufAllocator allocator) {
            final ByteBuf piece =
                    isOwned ? bytes.retainedSlice(next, length) : copy(length, allocator);
            next += length;
            return piece;
        }

        private ByteBuf copy(final int length, final ByteBufAllocator allocator) {
            final ByteBuf copy = allocator.directBuffer(length, length);
            try {
                return copy.writeBytes(bytes, next, length);
            } catch (final RuntimeException | Error e) {
                copy.release();
                throw e;
            }
        }
    }

    /** Bytes of an item that MPI has. */
    private final class Piece implements StreamEnd.BulkListener {
        private final Item item;
        private final ByteBuf bytes;
        private final int length;

        /** The next bytes of the item. */
        Piece(final Item item) {
            this.item = item;
            this.length = Math.min(item.left(), PieceSizes.MAX_BULK);
            this.bytes = item.take(length, allocator);
        }

        void send(final ByteBuf parcel) throws MpiException {
            boolean isUnderWay = false;
            lend();
            try {
                end.send(parcel, bytes.nioBuffer(bytes.readerIndex(), length), 0, length, this);
                isUnderWay = true;
            } finally {
                if (!isUnderWay) {
                    giveBack();
                }
            }
        }

        private void lend() {
            bytesUnderWay += length;
            if (item.isOwned) {
                item.lent++;
            }
        }

        private void giveBack() {
            bytesUnderWay -= length;
            if (item.isOwned) {
                item.lent--;
            }
            bytes.release();
        }

        @Override
        public void left(final MpiException failure) {
            giveBack();
            if (failure != null) {
                onFailure.accept(failure);
            } else {
                onProgress.run();
            }
        }
    }

    private final StreamEnd end;
    private final ByteBufAllocator allocator;
    private final Runnable onProgress;
    private final Consumer<MpiException> onFailure;
    private final Deque<Item> items = new ArrayDeque<>();
    private int seen;
    private long bytesUnderWay;

    /**
     * Creates the queue of a channel.
     *
     * @param allocator of copies
     * @param onProgress called when bytes have left: more may be sent
     * @param onFailure called when bytes cannot be sent
     */
    Outgoing(
            final StreamEnd end,
            final ByteBufAllocator allocator,
            final Runnable onProgress,
            final Consumer<MpiException> onFailure) {
        this.end = end;
        this.allocator = allocator;
        this.onProgress = onProgress;
        this.onFailure = onFailure;
    }

    /** Sends what the channel has flushed, as far as there is room. */
    void write(final ChannelOutboundBuffer flushed) throws Exception {
        adopt(flushed);
        send();
        removeWritten(flushed);
    }

    private void adopt(final ChannelOutboundBuffer flushed) throws Exception {
        if (flushed.size() == items.size()) {
            return;
        }
        seen = 0;
        flushed.forEachFlushedMessage(
                message -> {
                    seen++;
                    if (seen > items.size()) {
                        items.add(new Item((ByteBuf) message));
                    }
                    return true;
                });
    }

    private void send() throws MpiException {
        ByteBuf parcel = null;
        try {
            for (final Item item : items) {
                while (item.left() > 0 && bytesUnderWay < WINDOW_BYTES) {
                    if (parcel == null) {
                        parcel = end.newParcel();
                    }
                    if (item.left() <= StreamEnd.roomIn(parcel)) {
                        item.appendTo(parcel);
                    } else {
                        final Piece piece = new Piece(item);
                        final ByteBuf full = parcel;
                        parcel = null;
                        piece.send(full);
                    }
                }
            }
            if (parcel != null) {
                final ByteBuf last = parcel;
                parcel = null;
                end.send(last);
            }
        } finally {
            if (parcel != null) {
                parcel.release();
            }
        }
    }

    private void removeWritten(final ChannelOutboundBuffer flushed) {
        while (!items.isEmpty() && items.element().hasLeft()) {
            items.remove();
            flushed.remove();
        }
    }
}
