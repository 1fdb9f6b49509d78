package io.spillway.protocol;

import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import io.spillway.wire.AckFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.MalformedFrameException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * The puts, commits and aborts of one connection's client that have no answer yet, and the node's
 * credits for them. A write enters before anything is done for it that can fail, and leaves after
 * it was ended: so {@link #failAll} finds each that has no answer, wherever work on it has stopped.
 * Used by the connection's thread.
 */
public final class UnackedWrites {
    private final NodeAddress address;
    private final int credits;
    private final int maxBytes;
    private final Queue<PendingWrite> waiting = new ArrayDeque<>();
    private final Map<Long, PendingWrite> inFlight = new HashMap<>();
    private long bytesInFlight;

    /**
     * Creates an empty list.
     *
     * @param address of the node, for messages
     * @param credits the most writes in flight; 0 where the node takes none
     * @param maxBytes the most bytes of them
     */
    public UnackedWrites(final NodeAddress address, final int credits, final int maxBytes) {
        this.address = address;
        this.credits = credits;
        this.maxBytes = maxBytes;
    }

    /** Takes a write, or fails it where the node would not take it. */
    public void add(final PendingWrite write) {
        final FetchException obstacle =
                credits == 0
                        ? new FetchException(Reason.NO_SINK, address + " takes no puts")
                        : write.obstacle(address, maxBytes);
        if (obstacle == null) {
            waiting.add(write);
        } else {
            write.fail(obstacle);
        }
    }

    /** The next one that there are credits for, or null; it stays until {@link #handled}. */
    public PendingWrite next() {
        final PendingWrite write = waiting.peek();
        return write != null
                        && inFlight.size() < credits
                        && bytesInFlight + write.length() <= maxBytes
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
        final PendingWrite write = inFlight.get(frame.requestId());
        if (write == null) {
            throw new MalformedFrameException(
                    FrameType.ACK
                            + " frame: requestId="
                            + frame.requestId()
                            + ", expected one in flight");
        }
        write.acknowledged(frame);
        answered(frame.requestId());
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
        }
    }

    /** Answers for all of them. May be repeated where it was cut short. */
    public void failAll(final FetchException cause) {
        inFlight.values().forEach(write -> write.fail(cause));
        inFlight.clear();
        bytesInFlight = 0;
        waiting.forEach(write -> write.fail(cause));
        waiting.clear();
    }
}
