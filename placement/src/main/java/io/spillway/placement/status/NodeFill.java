// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeSpace;
import java.util.Locale;
import java.util.Objects;

/**
 * A node and how full it is. Immutable.
 *
 * @param identity who it is
 * @param space its memory, as it has reported last
 * @param leased bytes of leases whose outputs it has not reported as committed
 * @param outputs that it holds
 * @param silentMillis since its last report
 */
public record NodeFill(
        NodeIdentity identity, NodeSpace space, long leased, int outputs, long silentMillis) {
    /** A node whose report is missing for so many intervals is late. */
    private static final int LATE_INTERVALS = 3;

    /** What an operator should know of it first. */
    public enum State {
        /** It has not reported for some intervals. */
        LATE,
        /** It gives no memory. */
        NONE,
        /** Outputs and leases fill it to the mark from which on it gets no more. */
        FULL,
        /** It reports, and has room. */
        OK;

        /** As it is shown. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Checks the fields. */
    public NodeFill {
        Objects.requireNonNull(identity, "identity");
        Objects.requireNonNull(space, "space");
        if (leased < 0 || leased > NodeSpace.MAX_BYTES || outputs < 0 || silentMillis < 0) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "leased=%d outputs=%d silentMillis=%d, expected none below 0, and"
                                    + " leased at most %d",
                            leased,
                            outputs,
                            silentMillis,
                            NodeSpace.MAX_BYTES));
        }
    }

    /**
     * Bytes in use and leased, of its memory. What is leased may be of its files, which come only
     * when memory is at its mark.
     */
    public long taken() {
        return Math.min(space.capacity(), space.used() + leased);
    }

    /** Its state, by the intervals and the high-water mark of the service. */
    public State state(final ServiceFigures service) {
        if (silentMillis > (long) LATE_INTERVALS * service.intervalMillis()) {
            return State.LATE;
        }
        if (space.capacity() == 0) {
            return State.NONE;
        }
        // In whole bytes, as the book computes the room for leases.
        return taken() >= (long) (space.capacity() * service.highWater()) ? State.FULL : State.OK;
    }

    void encode(final FrameWriter out) {
        identity.encode(out);
        space.encode(out);
        out.int64(leased).int32(outputs).int64(silentMillis);
    }

    static NodeFill decode(final FrameReader in) throws MalformedFrameException {
        final NodeIdentity identity = NodeIdentity.decode(in);
        final NodeSpace space = NodeSpace.decode(in);
        final long leased = in.int64("leased", 0, NodeSpace.MAX_BYTES);
        final int outputs = in.int32("outputs", 0, Integer.MAX_VALUE);
        return new NodeFill(identity, space, leased, outputs, in.int64("silentMillis", 0));
    }
}
