// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;

/**
 * The memory that a node has for outputs of others, and the files for what that has no room for.
 * Immutable.
 *
 * @param memoryOnly whether the node does nothing else
 * @param capacity in bytes, 0 where it takes no outputs
 * @param used bytes of it that are in use
 * @param overflowCapacity of files in bytes, 0 where there are none
 * @param overflowUsed bytes of files
 */
public record NodeSpace(
        boolean memoryOnly, long capacity, long used, long overflowCapacity, long overflowUsed) {
    /** The most bytes: 1 PiB. */
    public static final long MAX_BYTES = 1L << 50;

    /** Checks the fields. */
    public NodeSpace {
        require("capacity", capacity);
        require("used", used);
        require("overflowCapacity", overflowCapacity);
        require("overflowUsed", overflowUsed);
    }

    /** Memory, and no files. */
    public NodeSpace(final boolean memoryOnly, final long capacity, final long used) {
        this(memoryOnly, capacity, used, 0, 0);
    }

    private static void require(final String field, final long bytes) {
        if (bytes < 0 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    field + "=" + bytes + ", expected 0 to " + MAX_BYTES);
        }
    }

    /** The capacity of memory and files, in bytes. */
    public long total() {
        return capacity + overflowCapacity;
    }

    /** Writes the fields. */
    public void encode(final FrameWriter out) {
        out.flag(memoryOnly)
                .int64(capacity)
                .int64(used)
                .int64(overflowCapacity)
                .int64(overflowUsed);
    }

    /** Reads the fields. */
    public static NodeSpace decode(final FrameReader in) throws MalformedFrameException {
        final boolean memoryOnly = in.flag("memoryOnly");
        final long capacity = in.int64("capacity", 0, NodeSpace.MAX_BYTES);
        final long used = in.int64("used", 0, NodeSpace.MAX_BYTES);
        final long overflowCapacity = in.int64("overflowCapacity", 0, NodeSpace.MAX_BYTES);
        return new NodeSpace(
                memoryOnly,
                capacity,
                used,
                overflowCapacity,
                in.int64("overflowUsed", 0, NodeSpace.MAX_BYTES));
    }
}
