package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.transport.mpi.library.MpiException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * What a channel of a rank has to send: short buffers are copied into parcels, long ones are sent
 * from where they lie, in pieces. A buffer counts as written when the last of its bytes has left,
 * and so many bytes at most are on their way. Used by the rank's thread.
 */
final class Outgoing {
    /** The most bytes that MPI has of one stream. */
    private static final int WINDOW_BYTES = 4 << 20;

    /** A buffer of the channel, in the order of the stream. */
    private final class Item {
        private final ByteBuf bytes;
        private int next;
        private int underWay;

        Item(final ByteBuf bytes) {
            this.bytes = bytes;
            this.next = bytes.readerIndex();
        }

        int left() {
            return bytes.writerIndex() - next;
        }

        boolean hasLeft() {
            return left() == 0 && underWay == 0;
        }

        void left(final int length, final MpiException failure) {
            underWay--;
            bytesUnderWay -= length;
            bytes.release();
            if (failure != null) {
                onFailure.accept(failure);
            } else {
                onProgress.run();
            }
        }
    }

    private final StreamEnd end;
    private final Runnable onProgress;
    private final Consumer<MpiException> onFailure;
    private final Deque<Item> items = new ArrayDeque<>();
    private int seen;
    private long bytesUnderWay;

    /**
     * Creates the queue of a channel.
     *
     * @param onProgress called when bytes have left: more may be sent
     * @param onFailure called when bytes cannot be sent
     */
    Outgoing(
            final StreamEnd end,
            final Runnable onProgress,
            final Consumer<MpiException> onFailure) {
        this.end = end;
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
                        parcel.writeBytes(item.bytes, item.next, item.left());
                        item.next = item.bytes.writerIndex();
                    } else {
                        final ByteBuf full = parcel;
                        parcel = null;
                        sendBulk(item, full);
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

    private void sendBulk(final Item item, final ByteBuf parcel) throws MpiException {
        final int length = Math.min(item.left(), PieceSizes.MAX_BULK);
        final ByteBuf bytes = item.bytes.retain();
        boolean underWay = false;
        try {
            item.underWay++;
            bytesUnderWay += length;
            end.send(
                    parcel,
                    bytes.nioBuffer(item.next, length),
                    0,
                    length,
                    failure -> item.left(length, failure));
            item.next += length;
            underWay = true;
        } finally {
            if (!underWay) {
                item.underWay--;
                bytesUnderWay -= length;
                bytes.release();
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
