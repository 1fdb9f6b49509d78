package io.spillway.engine.segment;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/** One shuffle node and the fetches that wait for it. Owned by the loop's thread. */
public final class Node {
    /** What may be done with a node now. */
    public enum State {
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

    public final NodeAddress address;

    /** Such as {@code http://host:13562}; null for one that no output was announced at. */
    public String baseUrl;

    public final Deque<SegmentFetch> waiting = new ArrayDeque<>();
    public State state = State.IDLE;

    /** The node's last answer was stock HTTP: it is fetched from over HTTP while copying. */
    public boolean httpOnly;

    /** When {@link #httpOnly} is to be looked at again. */
    public long askAgainMillis;

    /** The answers in stock HTTP in a row. */
    public int httpAnswers;

    /** Why the last channel could not be opened; null when it could. */
    public FetchException.Reason refusal;

    /** Since when the node answers that it is busy or not ready, and nothing else, or 0. */
    public long waitsSinceMillis;

    /** The rests in a row that such answers led to. */
    public int waits;

    public Channel channel;
    public int inFlight;

    /** Since when the open channel has nothing to do, or 0. */
    public long idleSinceMillis;

    /** Whether the channel has brought data since it was opened. */
    public boolean proven;

    /** The failures in a row. */
    public int failures;

    /** When its requests in flight last brought something, or the first of them began. */
    public long lastAnswerMillis;

    /** While resting: until when. */
    public long restUntilMillis;

    /** Since when it fails, or 0. */
    public long troubleSinceMillis;

    /** A request goes out over its channel. */
    public void requestBegan(final long nowMillis) {
        if (inFlight++ == 0) {
            lastAnswerMillis = nowMillis;
        }
        idleSinceMillis = 0;
    }

    /** A request has come back. */
    public void requestEnded(final long nowMillis) {
        inFlight--;
        lastAnswerMillis = nowMillis;
    }

    /** It has answered otherwise than that it is busy or not ready; to be let in is no answer. */
    public void answered() {
        waits = 0;
        waitsSinceMillis = 0;
    }

    public Node(final NodeAddress address) {
        this.address = address;
    }
}
