// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One shuffle node: what is under way at it, the fetches that wait for it, and how it has answered.
 * An illegal change of its state throws. Owned by the loop's thread.
 */
public final class Node {
    /** What may be done with a node now. */
    public enum State {
        /** Nothing is under way. */
        IDLE,
        /** A channel is being opened, or will be. */
        OPENING,
        /** {@link #channel} is open. */
        OPEN,
        /** Penalized: nothing until the penalty is over. */
        RESTING,
        /** A thread fetches over stock HTTP. */
        HTTP_BUSY;

        private Set<State> successors() {
            return switch (this) {
                case IDLE -> EnumSet.of(OPENING, RESTING, HTTP_BUSY);
                case OPENING -> EnumSet.of(IDLE, OPEN);
                case OPEN -> EnumSet.of(IDLE);
                case RESTING, HTTP_BUSY -> EnumSet.of(IDLE, RESTING);
            };
        }
    }

    public final NodeAddress address;

    private final Consumer<Node> onDue;
    private String baseUrl;
    private boolean announced;
    private final Deque<SegmentFetch> waiting = new ArrayDeque<>();
    private State state = State.IDLE;
    private Channel channel;
    private boolean proven;
    private int inFlight;
    private long lastAnswerMillis;
    private long openingSinceMillis;
    private long idleSinceMillis;
    private long restUntilMillis;

    private FetchException.Reason refusal;
    private boolean httpOnly;
    private long askAgainMillis;
    private int httpAnswers;
    private long waitsSinceMillis;
    private int waits;
    private int failures;
    private long troubleSinceMillis;

    /**
     * Creates a node that nothing is known of.
     *
     * @param onDue takes the node whenever it may be asked for more than before
     */
    public Node(final NodeAddress address, final Consumer<Node> onDue) {
        this.address = address;
        this.onDue = onDue;
    }

    /** An output was announced at it, by such a URL as {@code http://host:13562}. */
    public void announce(final String url) {
        announced = true;
        if (baseUrl == null) {
            baseUrl = url;
        }
    }

    /** Whether an output was announced at it: else other nodes have named it, for its memory. */
    public boolean isAnnounced() {
        return announced;
    }

    /** Where stock HTTP is asked for; null for a node that no output was announced at. */
    public String baseUrl() {
        return baseUrl;
    }

    // ---- state ---------------------------------------------------------------------------------

    public State state() {
        return state;
    }

    private void to(final State next) {
        if (!state.successors().contains(next)) {
            throw new IllegalStateException(
                    address
                            + ": state="
                            + state
                            + " next="
                            + next
                            + ", expected "
                            + state.successors());
        }
        state = next;
    }

    /** A channel is to be opened, when it is this node's turn. */
    public void beginOpening() {
        to(State.OPENING);
        openingSinceMillis = 0;
    }

    /** A thread begins to open a channel. */
    public void openingBegan(final long nowMillis) {
        openingSinceMillis = nowMillis;
    }

    /** While opening: since when a thread is at it; 0 as long as the node waits for its turn. */
    public long openingSinceMillis() {
        return openingSinceMillis;
    }

    /** A channel is open: the node speaks Spillway. */
    public void opened(final Channel open) {
        to(State.OPEN);
        channel = open;
        proven = false;
        refusal = null;
        idleSinceMillis = 0;
        httpAnswers = 0;
        httpOnly = false;
        onDue.accept(this);
    }

    /** No channel could be opened. */
    public void openingFailed(final FetchException.Reason reason) {
        to(State.IDLE);
        refusal = reason;
        onDue.accept(this);
    }

    /** Closes the open channel. */
    public void closeChannel() {
        to(State.IDLE);
        channel.close();
        channel = null;
        onDue.accept(this);
    }

    /** A thread begins to fetch over stock HTTP. */
    public void beginHttp() {
        to(State.HTTP_BUSY);
    }

    /** Nothing is asked of it from now on until {@link #resume}, which is due at a time. */
    public void rest(final long untilMillis) {
        to(State.RESTING);
        restUntilMillis = untilMillis;
    }

    /** Its rest, or what was fetched over stock HTTP, is over. */
    public void resume() {
        to(State.IDLE);
        onDue.accept(this);
    }

    /** While resting: until when. */
    public long restUntilMillis() {
        return restUntilMillis;
    }

    // ---- channel -------------------------------------------------------------------------------

    /** The open channel; null when there is none. */
    public Channel channel() {
        return channel;
    }

    /** The channel has brought data. */
    public void prove() {
        proven = true;
    }

    /** Whether the last channel has brought data. */
    public boolean isProven() {
        return proven;
    }

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
        onDue.accept(this);
    }

    /** The requests that have not come back, over this channel and those before. */
    public int inFlight() {
        return inFlight;
    }

    /** When its requests in flight last brought something, or the first of them began. */
    public long lastAnswerMillis() {
        return lastAnswerMillis;
    }

    /**
     * How long the open channel has had nothing to do, as far as this was asked.
     *
     * @return 0 when it has something to do, or this is asked for the first time since it had
     */
    public long idleMillis(final long nowMillis) {
        if (inFlight > 0 || hasWaiting()) {
            return 0;
        }
        if (idleSinceMillis == 0) {
            idleSinceMillis = nowMillis;
        }
        return nowMillis - idleSinceMillis;
    }

    // ---- fetches that wait ---------------------------------------------------------------------

    /** Puts a fetch into the queue, where it is not yet. */
    public void enqueue(final SegmentFetch fetch, final boolean first) {
        fetch.schedule.enqueue();
        if (first) {
            waiting.addFirst(fetch);
        } else {
            waiting.addLast(fetch);
        }
        onDue.accept(this);
    }

    /** Takes the next fetch out of the queue; null when none waits. */
    public SegmentFetch poll() {
        final SegmentFetch fetch = waiting.pollFirst();
        if (fetch != null) {
            fetch.schedule.dequeue();
        }
        return fetch;
    }

    /** Takes a fetch out of the queue, if it is there. */
    public void remove(final SegmentFetch fetch) {
        if (waiting.remove(fetch)) {
            fetch.schedule.dequeue();
        }
    }

    public boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** The fetches that wait now, in their order. */
    public List<SegmentFetch> waiting() {
        return List.copyOf(waiting);
    }

    // ---- answers -------------------------------------------------------------------------------

    /** Why the last channel could not be opened; null when it could. */
    public FetchException.Reason refusal() {
        return refusal;
    }

    /**
     * It has answered stock HTTP where Spillway was asked for.
     *
     * @param nextMillis when it is to be asked for Spillway again
     * @return whether its answer before was another one
     */
    public boolean answeredHttp(final long nextMillis) {
        final boolean isNew = !httpOnly;
        httpOnly = true;
        httpAnswers++;
        askAgainMillis = nextMillis;
        return isNew;
    }

    /** The answers in stock HTTP in a row. */
    public int httpAnswers() {
        return httpAnswers;
    }

    /** It has answered neither Spillway nor stock HTTP. */
    public void forgetHttp() {
        httpOnly = false;
    }

    /** Whether its last answer was stock HTTP: it is fetched from over HTTP while copying. */
    public boolean isHttpOnly() {
        return httpOnly;
    }

    /** Sets when it is to be asked for Spillway again. */
    public void askAgainAt(final long millis) {
        askAgainMillis = millis;
    }

    /** When it is to be asked for Spillway again. */
    public long askAgainMillis() {
        return askAgainMillis;
    }

    /**
     * It answers that it is busy or not ready.
     *
     * @return for how long it has answered nothing else
     */
    public long waitsMillis(final long nowMillis) {
        if (waitsSinceMillis == 0) {
            waitsSinceMillis = nowMillis;
        }
        return nowMillis - waitsSinceMillis;
    }

    /** Counts a rest that such an answer leads to; gives those in a row before it. */
    public int countWait() {
        return waits++;
    }

    /** It has answered otherwise than that it is busy or not ready; to be let in is no answer. */
    public void answered() {
        waits = 0;
        waitsSinceMillis = 0;
    }

    /** Counts a failure. */
    public void fail() {
        failures++;
    }

    /** The failures in a row. */
    public int failures() {
        return failures;
    }

    /** It fails; gives how long it has been failing. */
    public long troubleMillis(final long nowMillis) {
        if (troubleSinceMillis == 0) {
            troubleSinceMillis = nowMillis;
        }
        return nowMillis - troubleSinceMillis;
    }

    /** It has brought data: its failures are forgotten. */
    public void succeeded() {
        failures = 0;
        troubleSinceMillis = 0;
        answered();
    }
}
