// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Consecutive bytes of one segment, and their way to every copy. The writer's until it is sent, the
 * transports' until the last copy has ended; then it is free again.
 */
final class Piece {
    /** How often the same bytes are put where they arrive damaged. */
    private static final int TRIES = 3;

    private final ByteBuffer bytes;
    private final Copy[] copies;
    private final PieceWindow window;
    private final CRC32C crc = new CRC32C();
    private SegmentId segment;
    private long offset;
    private int checksum;
    private int onTheWay;

    /**
     * Creates a free piece.
     *
     * @param memory for its bytes, outside the heap
     * @param nodes to which it goes
     */
    Piece(final ByteBuffer memory, final List<Channel> nodes, final PieceWindow window) {
        this.bytes = memory;
        this.window = window;
        this.copies = new Copy[nodes.size()];
        for (int copy = 0; copy < copies.length; copy++) {
            copies[copy] = new Copy(nodes.get(copy), memory.duplicate());
        }
    }

    /** The bytes that can still be added. */
    int room() {
        return bytes.remaining();
    }

    /** The bytes that were added. */
    int length() {
        return bytes.position();
    }

    /** Adds bytes that fit its {@link #room}. This is the only time that they are summed here. */
    void add(final byte[] source, final int start, final int length) {
        crc.update(source, start, length);
        bytes.put(source, start, length);
    }

    /**
     * Puts the bytes at every node. They are not the writer's any more.
     *
     * @return their CRC32C
     */
    int send(final SegmentId target, final long start) {
        final int sum = (int) crc.getValue();
        crc.reset();
        final int length = bytes.position();
        segment = target;
        offset = start;
        checksum = sum;
        synchronized (this) {
            onTheWay = copies.length;
        }
        for (final Copy copy : copies) {
            copy.begin(length);
        }
        return sum;
    }

    private void ended() {
        synchronized (this) {
            onTheWay--;
            if (onTheWay > 0) {
                return;
            }
        }
        bytes.clear();
        window.giveBack(this);
    }

    /** The way to one node; one put at a time. */
    private final class Copy implements PutListener {
        private final Channel node;
        private final ByteBuffer view;
        private int tries;
        private boolean hasEnded;

        Copy(final Channel node, final ByteBuffer view) {
            this.node = node;
            this.view = view;
        }

        void begin(final int length) {
            synchronized (this) {
                tries = 0;
                hasEnded = false;
            }
            view.clear().limit(length);
            put();
        }

        /** A transport that fails without telling so must not leave the writer waiting. */
        private void put() {
            try {
                node.put(segment, offset, view, checksum, this);
            } catch (final RuntimeException | Error e) {
                end(new FetchException(Reason.LOCAL, "the put failed: " + e, e));
            }
        }

        @Override
        public void onAcknowledged(final ByteBuffer source) {
            end(null);
        }

        @Override
        public void onFailed(final ByteBuffer source, final FetchException cause) {
            if (cause.reason() == Reason.DAMAGED && mayTryAgain()) {
                put();
            } else {
                end(cause);
            }
        }

        private synchronized boolean mayTryAgain() {
            tries++;
            return tries < TRIES;
        }

        private void end(final FetchException failureOrNull) {
            synchronized (this) {
                if (hasEnded) {
                    return;
                }
                hasEnded = true;
            }
            if (failureOrNull != null) {
                window.fail(node.address(), failureOrNull);
            }
            ended();
        }
    }
}
