// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.segment.SegmentFetch;
import java.io.IOException;

/** A segment had another number of records than its map has counted, though its bytes are sound. */
public final class MiscountedSegment extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient SegmentFetch fetch;

    MiscountedSegment(final SegmentFetch fetch, final long found) {
        super(
                "Wrong number of records in partition "
                        + fetch.id.partition()
                        + " run "
                        + fetch.id.run()
                        + " of map output "
                        + fetch.records.counter()
                        + ": expected="
                        + fetch.records.expected()
                        + " as its map has counted, found="
                        + found);
        this.fetch = fetch;
    }

    /** The segment that a failure comes from, or null. */
    public static SegmentFetch of(final Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof MiscountedSegment)) {
            cause = cause.getCause();
        }
        return cause == null ? null : ((MiscountedSegment) cause).fetch;
    }
}
