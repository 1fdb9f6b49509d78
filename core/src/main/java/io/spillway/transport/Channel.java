package io.spillway.transport;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * An authenticated connection to one node, for one job. Thread-safe.
 *
 * <p>When it breaks, is closed, or its peer stays silent for too long, every fetch in flight fails,
 * at once.
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

    /** Whether fetches can still succeed. */
    boolean isOpen();

    /** Closes the connection and fails what is in flight. Idempotent, does not block. */
    @Override
    void close();
}
