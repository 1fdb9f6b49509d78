// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.conf.TierName;
import io.spillway.transport.serve.SegmentSource;

/**
 * What a task may read by itself: it runs on the node's host, as the user that owns the files.
 * Thread-safe.
 */
public interface OwnHost extends AutoCloseable {
    /**
     * Whether a node is the one whose local directories this task has. May read a file.
     *
     * @param epoch the node's incarnation
     */
    boolean isNode(long epoch);

    /** The outputs in these directories. */
    SegmentSource outputs();

    /**
     * Whether what lies in a tier is read without the node. From a disk it is not: the node reads
     * ahead there, for all reducers together.
     */
    boolean reads(TierName tier);

    /** Closes what it holds open. */
    @Override
    void close();
}
