// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;

/**
 * An output that a node holds as a whole. Immutable.
 *
 * @param name an {@link OpaqueId}
 * @param bytes that it takes of the node's capacity
 */
public record CommittedOutput(String name, long bytes) {
    /** Checks the fields. */
    public CommittedOutput {
        OpaqueId.require("output", name);
        if (bytes < 0 || bytes > NodeSpace.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "bytes=" + bytes + ", expected 0 to " + NodeSpace.MAX_BYTES);
        }
    }

    void encode(final FrameWriter out) {
        out.id("output", name).int64(bytes);
    }

    static CommittedOutput decode(final FrameReader in) throws MalformedFrameException {
        final String name = in.id("output");
        return new CommittedOutput(name, in.int64("bytes", 0, NodeSpace.MAX_BYTES));
    }
}
