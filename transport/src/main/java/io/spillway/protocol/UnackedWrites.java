// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import io.spillway.wire.AckFrame;
import io.spillway.wire.AnswerFrame;
import io.spillway.wire.CallFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FrameType;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * The puts, commits, aborts and calls of one connection's client that have no answer yet, and the
 * node's credits for them. A write enters before anything is done for it that can fail, and leaves
 * after it was ended: so {@link #failAll} finds each that has no answer, wherever work on it has
 * stopped. Used by the connection's thread.
 */
public final class UnackedWrites {
    private final NodeAddress address;
    private final int version;
    private final int credits;
    private final int maxBytes;
    private final Queue<PendingWrite> waiting = new ArrayDeque<>();
    private final Map<Long, PendingWrite> inFlight = new HashMap<>();
    private long bytesInFlight;
    private int callsInFlight;

    /**
     * Creates an empty list.
     *
     * @param address of the node, for messages
     * @param version of the session
     * @param credits the most writes in flight; 0 where the node takes none
     * @param maxBytes the most bytes of them
     */
    public UnackedWrites(
            final NodeAddress address, final int version, final int credits, final int maxBytes) {
        this.address = address;
        this.version = version;
        this.credits = credits;
        this.maxBytes = maxBytes;
    }

    /** Takes a write, or fails it where the node would not take it. */
    public void add(final PendingWrite write) {
        final FetchException obstacle =
                credits == 0 ? nothingTaken(write) : write.obstacle(address, mostBytes(write));
        if (obstacle == null) {
            waiting.add(write);
        } else {
            write.fail(obstacle);
        }
    }

    private FetchException nothingTaken(final PendingWrite write) {
        return write.isCall()
                ? new FetchException(Reason.NO_SERVICE, address + " answers no calls")
                : new FetchException(Reason.NO_SINK, address + " takes no puts");
    }

    private int mostBytes(final PendingWrite write) {
        return write.isCall() ? Math.min(maxBytes, CallFrame.MAX_LENGTH_OF_CALL) : maxBytes;
    }

    /** The next one that there are credits for, or null; it stays until {@link #handled}. */
    public PendingWrite next() {
        final PendingWrite write = waiting.peek();
        return write != null
                        && inFlight.size() < credits
                        && bytesInFlight + write.length() <= maxBytes
                        && !(write.isCall() && callsInFlight == CallFrame.MAX_CALLS)
                ? write
                : null;
    }

    /**
     * It was sent or answered for. A connection that was lost meanwhile has taken all that waited.
     */
    public void handled(final PendingWrite write) {
        if (waiting.peek() == write) {
            waiting.remove();
        }
    }

    /** A write goes out. */
    public void sent(final long requestId, final PendingWrite write) {
        inFlight.put(requestId, write);
        bytesInFlight += write.length();
        callsInFlight += write.isCall() ? 1 : 0;
    }

    /** The writes without an answer that went out. */
    public int inFlightCount() {
        return inFlight.size();
    }

    /** Whether this is the id of a write without an answer. */
    public boolean isInFlight(final long requestId) {
        return inFlight.containsKey(requestId);
    }

    /**
     * The node has done one.
     *
     * @throws MalformedFrameException where it answers none that is in flight
     */
    public void acknowledged(final AckFrame frame) throws MalformedFrameException {
        find(FrameType.ACK, frame.requestId()).acknowledged(frame, version);
        answered(frame.requestId());
    }

    /**
     * The node begins to answer a call, which stays in flight until {@link #received}.
     *
     * @throws MalformedFrameException where it answers none that is in flight
     */
    public PendingWrite answering(final AnswerFrame frame) throws MalformedFrameException {
        final PendingWrite call = find(FrameType.ANSWER, frame.requestId());
        call.answered(frame, version);
        return call;
    }

    /** All bytes of the answer to a call have come. */
    public void received(final long requestId) {
        inFlight.get(requestId).complete(address);
        answered(requestId);
    }

    private PendingWrite find(final FrameType type, final long requestId)
            throws MalformedFrameException {
        final PendingWrite write = inFlight.get(requestId);
        if (write == null) {
            throw new MalformedFrameException(
                    type + " frame: requestId=" + requestId + ", expected one in flight");
        }
        return write;
    }

    /** The node has refused one that is {@linkplain #isInFlight in flight}. */
    public void refused(final FailedFrame frame) {
        inFlight.get(frame.requestId()).refused(address, frame);
        answered(frame.requestId());
    }

    private void answered(final long requestId) {
        final PendingWrite write = inFlight.remove(requestId);
        if (write != null) {
            bytesInFlight -= write.length();
            callsInFlight -= write.isCall() ? 1 : 0;
        }
    }

    /** Answers for all of them. May be repeated where it was cut short. */
    public void failAll(final FetchException cause) {
        inFlight.values().forEach(write -> write.fail(cause));
        inFlight.clear();
        bytesInFlight = 0;
        callsInFlight = 0;
        waiting.forEach(write -> write.fail(cause));
        waiting.clear();
    }
}
