// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;

/**
 * Which part of a report a message is. Immutable.
 *
 * @param isListing whether the outputs of all parts are all that the node holds; else they are
 *     those committed since the last report
 * @param number from 0
 * @param more whether parts follow
 */
public record ReportPart(boolean isListing, int number, boolean more) {
    /** Checks the number. */
    public ReportPart {
        if (number < 0) {
            throw new IllegalArgumentException("part=" + number + ", expected at least 0");
        }
    }

    void encode(final FrameWriter out) {
        out.flag(isListing).int32(number).flag(more);
    }

    static ReportPart decode(final FrameReader in) throws MalformedFrameException {
        final boolean isListing = in.flag("isListing");
        final int number = in.int32("part", 0, Integer.MAX_VALUE);
        return new ReportPart(isListing, number, in.flag("more"));
    }
}
