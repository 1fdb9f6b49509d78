// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

/**
 * Names one segment, or one sorted run of it: one partition of one map output. A map that has left
 * its spills unmerged has several runs. Immutable.
 *
 * @param output the output, by the name that its framework gives it: an {@link OpaqueId}. Outputs
 *     of two attempts of a map have two names
 * @param partition the reducer's number, from 0
 * @param run from 0
 */
public record SegmentId(String output, int partition, int run) {
    /** Checks the fields. */
    public SegmentId {
        OpaqueId.require("output", output);
        if (partition < 0) {
            throw new IllegalArgumentException("partition=" + partition + ", expected >= 0");
        }
        if (run < 0) {
            throw new IllegalArgumentException("run=" + run + ", expected >= 0");
        }
    }

    /** The first run, mostly the only one. */
    public SegmentId(final String output, final int partition) {
        this(output, partition, 0);
    }
}
