package io.spillway.hadoop.reduce;

import io.spillway.transport.Channel;
import io.spillway.transport.NodeAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/** One shuffle node and the fetches that wait for it. Owned by the loop's thread. */
final class Node {
    /** What may be done with a node now. */
    enum State {
        /** Nothing is under way. */
        IDLE,
        /** A thread opens a channel. */
        OPENING,
        /** {@link #channel} is open. */
        OPEN,
        /** Penalized: nothing until the penalty is over. */
        RESTING,
        /** A thread fetches over stock HTTP. */
        HTTP_BUSY
    }

    final NodeAddress address;

    /** Such as {@code http://host:13562}. */
    final String baseUrl;

    final Deque<SegmentFetch> waiting = new ArrayDeque<>();
    State state = State.IDLE;

    /** The node answers stock HTTP only. */
    boolean httpOnly;

    Channel channel;
    int inFlight;

    /** Whether the channel has brought data since it was opened. */
    boolean proven;

    /** The failures in a row. */
    int failures;

    /** Since when it fails, or 0. */
    long troubleSinceMillis;

    Node(final NodeAddress address, final String baseUrl) {
        this.address = address;
        this.baseUrl = baseUrl;
    }
}
