// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;

/**
 * An authenticated connection to one node, for one job. Thread-safe.
 *
 * <p>When it breaks, is closed, or its peer stays silent for too long, every fetch and put in
 * flight fails, at once.
 */
public interface Channel extends AutoCloseable {
    /** The node at the other end. */
    NodeAddress address();

    /**
     * The node's incarnation: another value after a reconnect means that the node was restarted.
     */
    long epoch();

    /** The other ways in which this node said that it can be fetched from. */
    default List<TransportOffer> offers() {
        return List.of();
    }

    /** The most segments of an output that the node takes; 0 where it takes no puts. */
    default int maxSegments() {
        return Integer.MAX_VALUE;
    }

    /**
     * Whether the node can be reached in another way when this channel fails. A failure then says
     * nothing about the node or its map outputs: the caller closes the channel then and opens the
     * node again.
     */
    default boolean hasFallback() {
        return false;
    }

    /**
     * Fetches {@code destination.remaining()} bytes of a segment, from {@code offset} on; fewer at
     * the segment's end. Fetches are pipelined; they may complete in any order.
     *
     * <p>From the call on, {@code destination} belongs to the transport, until it is handed back
     * through {@code listener}. A fetch on a closed channel fails through the listener too.
     */
    void fetch(SegmentId segment, long offset, ByteBuffer destination, FetchListener listener);

    /**
     * Puts the remaining bytes of {@code source} at {@code offset} of a segment. Puts are
     * pipelined, as far as the node allows; the others wait without blocking the caller. They may
     * come in any order and over several channels. Repeating a put changes nothing.
     *
     * <p>From the call on, {@code source} belongs to the transport, until it is handed back through
     * {@code listener}. A put on a closed channel, or to a node that takes none ({@code NO_SINK}),
     * fails through the listener too.
     */
    default void put(
            final SegmentId segment,
            final long offset,
            final ByteBuffer source,
            final PutListener listener) {
        final CRC32C crc = new CRC32C();
        crc.update(source.duplicate());
        put(segment, offset, source, (int) crc.getValue(), listener);
    }

    /**
     * As the other one, for bytes whose checksum is known.
     *
     * @param checksum the CRC32C of the remaining bytes; where it is another one, the put fails as
     *     {@code DAMAGED}
     */
    default void put(
            final SegmentId segment,
            final long offset,
            final ByteBuffer source,
            final int checksum,
            final PutListener listener) {
        listener.onFailed(source, noSink());
    }

    /**
     * Makes an output visible; all of its puts have been acknowledged. Idempotent.
     *
     * @return completed by a thread of the transport, exceptionally with a {@link FetchException}:
     *     {@code INCOMPLETE} where bytes are missing, {@code CONFLICT} where other bytes were put
     *     or another commit was taken
     */
    default CompletableFuture<Void> commit(final OutputSummary output) {
        return CompletableFuture.failedFuture(noSink());
    }

    /**
     * Has the node forget an output that is not committed. Idempotent.
     *
     * @return completed by a thread of the transport, exceptionally with a {@link FetchException}:
     *     {@code CONFLICT} where the output is committed
     */
    default CompletableFuture<Void> abort(final String output) {
        return CompletableFuture.failedFuture(noSink());
    }

    /**
     * Asks the node's service. At most a few calls are under way at a time; the others wait without
     * blocking the caller.
     *
     * @param request its remaining bytes are the question, at most 1 MiB; nothing may change them
     *     until the answer is there
     * @return completed by a thread of the transport with the answer, a buffer of the caller's;
     *     exceptionally with a {@link FetchException}: {@code NO_SERVICE} where the node answers no
     *     calls, or what the service says
     */
    default CompletableFuture<ByteBuffer> call(final ByteBuffer request) {
        return CompletableFuture.failedFuture(
                new FetchException(
                        FetchException.Reason.NO_SERVICE,
                        address() + ": this channel takes no calls"));
    }

    private FetchException noSink() {
        return new FetchException(
                FetchException.Reason.NO_SINK, address() + ": this channel takes no puts");
    }

    /** Whether fetches and puts can still succeed. */
    boolean isOpen();

    /** Closes the connection and fails what is in flight. Idempotent, does not block. */
    @Override
    void close();
}
