// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;

/**
 * How much of the service's table of jobs a node has applied. Immutable.
 *
 * @param table which table: each start of the service makes a new one, and it gets another number
 *     once more, when the hosts have had their time to report
 * @param version grows with each change of the table; 0 where none was applied
 * @param base the table's version when the node was last sent the list of all jobs from its
 *     beginning: what has ended before is not in that list
 */
public record TableVersion(long table, long version, long base) {
    /** Of a node that has not heard of any table. */
    public static final TableVersion NONE = new TableVersion(0, 0, 0);

    /** Checks the fields. */
    public TableVersion {
        if (version < 0 || base < 0) {
            throw new IllegalArgumentException(
                    "version=" + version + " base=" + base + ", expected none below 0");
        }
    }

    void encode(final FrameWriter out) {
        out.int64(table).int64(version).int64(base);
    }

    static TableVersion decode(final FrameReader in) throws MalformedFrameException {
        final long table = in.int64("table", Long.MIN_VALUE);
        final long version = in.int64("version", 0);
        return new TableVersion(table, version, in.int64("base", 0));
    }
}
