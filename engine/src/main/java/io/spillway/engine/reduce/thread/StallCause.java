// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.thread;

import io.spillway.report.ShuffleCounter;

/** Why the merge waits for a stream. */
public enum StallCause {
    /** Its next bytes were asked for and are on their way. */
    FLIGHT(ShuffleCounter.STALL_FLIGHT_MILLIS),
    /** They were not asked for: there was no memory for them, or not yet. */
    BUDGET(ShuffleCounter.STALL_BUDGET_MILLIS),
    /** Its node, or the map output, cannot be had at the moment. */
    SOURCE(ShuffleCounter.STALL_SOURCE_MILLIS);

    private final ShuffleCounter figure;

    StallCause(final ShuffleCounter figure) {
        this.figure = figure;
    }

    /** The figure that sums it. */
    ShuffleCounter figure() {
        return figure;
    }
}
