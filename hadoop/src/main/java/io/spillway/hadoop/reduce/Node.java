package io.spillway.hadoop.reduce;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
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

    /** The node's last answer was stock HTTP: it is fetched from over HTTP while copying. */
    boolean httpOnly;

    /** When {@link #httpOnly} is to be looked at again. */
    long askAgainMillis;

    /** The answers in stock HTTP in a row. */
    int httpAnswers;

    /** Why the last channel could not be opened; null when it could. */
    FetchException.Reason refusal;

    /** Since when the node answers that it is busy or not ready, or 0. */
    long waitsSinceMillis;

    /** The rests in a row that such answers led to. */
    int waits;

    Channel channel;
    int inFlight;

    /** Since when the open channel has nothing to do, or 0. */
    long idleSinceMillis;

    /** Whether the channel has brought data since it was opened. */
    boolean proven;

    /** The failures in a row. */
    int failures;

    /** When its requests in flight last brought something, or the first of them began. */
    long lastAnswerMillis;

    /** While resting: until when. */
    long restUntilMillis;

    /** Since when it fails, or 0. */
    long troubleSinceMillis;

    /** A request goes out over its channel. */
    void requestBegan(final long nowMillis) {
        if (inFlight++ == 0) {
            lastAnswerMillis = nowMillis;
        }
        idleSinceMillis = 0;
    }

    /** A request has come back. */
    void requestEnded(final long nowMillis) {
        inFlight--;
        lastAnswerMillis = nowMillis;
    }

    Node(final NodeAddress address, final String baseUrl) {
        this.address = address;
        this.baseUrl = baseUrl;
    }
}
