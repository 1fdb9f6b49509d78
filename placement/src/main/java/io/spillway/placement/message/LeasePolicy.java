// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;

/** Which nodes may hold an output. */
public enum LeasePolicy {
    /** Every node with memory for it. */
    EVERY_NODE(1),
    /** Nodes that do nothing else. */
    DEDICATED(2);

    private final int code;

    LeasePolicy(final int code) {
        this.code = code;
    }

    void encode(final FrameWriter out) {
        out.int32(code);
    }

    static LeasePolicy decode(final FrameReader in) throws MalformedFrameException {
        final int code = in.int32("policy", EVERY_NODE.code, DEDICATED.code);
        return code == DEDICATED.code ? DEDICATED : EVERY_NODE;
    }
}
