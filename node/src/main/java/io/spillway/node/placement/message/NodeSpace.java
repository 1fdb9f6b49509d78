package io.spillway.node.placement.message;

import io.spillway.wire.MalformedFrameException;

/**
 * The memory that a node has for outputs of others. Immutable.
 *
 * @param memoryOnly whether the node does nothing else
 * @param capacity in bytes, 0 where it takes no outputs
 * @param used bytes of it that are in use
 */
public record NodeSpace(boolean memoryOnly, long capacity, long used) {
    /** The most bytes: 1 PiB. */
    public static final long MAX_BYTES = 1L << 50;

    /** Checks the fields. */
    public NodeSpace {
        if (capacity < 0 || capacity > MAX_BYTES || used < 0 || used > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "capacity=" + capacity + " used=" + used + ", expected 0 to " + MAX_BYTES);
        }
    }

    /** Writes the fields. */
    public void encode(final MessageWriter out) {
        out.flag(memoryOnly).int64(capacity).int64(used);
    }

    /** Reads the fields. */
    public static NodeSpace decode(final MessageReader in) throws MalformedFrameException {
        final boolean memoryOnly = in.flag("memoryOnly");
        final long capacity = in.size("capacity");
        return new NodeSpace(memoryOnly, capacity, in.size("used"));
    }
}
