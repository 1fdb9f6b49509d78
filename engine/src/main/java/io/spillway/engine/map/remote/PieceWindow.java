// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import io.spillway.engine.spi.RemoteOutput;
import io.spillway.thread.Uninterrupted;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The pieces of one output that may be on their way at a time: a fixed number, used again and
 * again, so that a writer is no faster than the slowest node. The first failure ends the output.
 * The writer takes pieces; threads of the transport give them back. Thread-safe.
 */
final class PieceWindow {
    /** What a link of 25 Gbit/s brings in a third of a millisecond. */
    private static final int BYTES = 1 << 20;

    /** Short pieces are not so many that their objects take more memory than they do. */
    private static final int MOST_PIECES = 256;

    private static final int SHARE_OF_WAIT = 4;

    private final String output;
    private final Deque<Piece> free = new ArrayDeque<>();

    /** The free ones and those on their way. */
    private int pieces;

    /** So many free ones end the writer's wait. */
    private int awaited;

    private RemoteStoreException failure;
    private long waitedNanos;

    private PieceWindow(final String output) {
        this.output = output;
    }

    /**
     * Opens a window whose pieces are free. Without memory for them the output has failed.
     *
     * @param pieceBytes the most bytes of a piece, 1 to 1 MiB
     * @param memory grants the bytes of all pieces
     */
    static PieceWindow open(
            final RemoteOutput output, final int pieceBytes, final DirectMemory memory) {
        final PieceWindow window = new PieceWindow(output.output());
        final int pieces = Math.min(MOST_PIECES, BYTES / pieceBytes);
        try {
            window.addPieces(memory.allocate(pieces * pieceBytes), pieceBytes, output.copies());
        } catch (final OutOfMemoryError e) {
            window.fail(
                    output.copies().get(0).address(),
                    new FetchException(
                            FetchException.Reason.LOCAL, "no memory outside the heap: " + e, e));
        }
        return window;
    }

    private synchronized void addPieces(
            final ByteBuffer bytes, final int pieceBytes, final List<Channel> nodes) {
        pieces = bytes.capacity() / pieceBytes;
        for (int i = 0; i < pieces; i++) {
            free.add(new Piece(bytes.slice(i * pieceBytes, pieceBytes), nodes, this));
        }
    }

    /**
     * A free piece. Where there is none it waits for a quarter of them: a thread that is woken for
     * each costs more than the copy of its bytes.
     *
     * @throws RemoteStoreException when the output has failed
     */
    synchronized Piece take() throws RemoteStoreException {
        if (free.isEmpty() && failure == null) {
            final long start = System.nanoTime();
            awaitFree(Math.max(1, pieces / SHARE_OF_WAIT));
            waitedNanos += System.nanoTime() - start;
        }
        requireNoFailure();
        return free.pop();
    }

    /** All copies of a piece have ended, or it was not sent. */
    synchronized void giveBack(final Piece piece) {
        free.push(piece);
        if (free.size() >= awaited) {
            notifyAll();
        }
    }

    /** A node failed; what fails after it is no news. */
    synchronized void fail(final NodeAddress node, final FetchException cause) {
        if (failure == null) {
            failure = new RemoteStoreException(node, output, cause);
            notifyAll();
        }
    }

    /** Waits until nothing is on its way, or the output has failed. */
    synchronized void awaitAll() throws RemoteStoreException {
        final long start = System.nanoTime();
        awaitFree(pieces);
        waitedNanos += System.nanoTime() - start;
        requireNoFailure();
    }

    private void awaitFree(final int count) {
        awaited = count;
        Uninterrupted.await(
                () -> {
                    while (free.size() < count && failure == null) {
                        wait();
                    }
                    return null;
                });
    }

    /** Waits until nothing is on its way, whatever became of it; no longer than a time. */
    synchronized void awaitAll(final long millis) {
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        awaited = pieces;
        Uninterrupted.await(
                () -> {
                    long left = millisUntil(deadline);
                    while (free.size() < pieces && left > 0) {
                        wait(left);
                        left = millisUntil(deadline);
                    }
                    return null;
                });
    }

    private static long millisUntil(final long deadline) {
        return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }

    /** The time that the writer waited for pieces to come back. */
    synchronized long waitedNanos() {
        return waitedNanos;
    }

    /** The first failure, or null. */
    synchronized RemoteStoreException failureOrNull() {
        return failure;
    }

    private void requireNoFailure() throws RemoteStoreException {
        if (failure != null) {
            throw failure;
        }
    }
}
