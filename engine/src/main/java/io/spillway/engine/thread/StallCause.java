package io.spillway.engine.thread;

import io.spillway.report.ShuffleFigure;

/** Why the merge waits for a stream. */
public enum StallCause {
    /** Its next bytes were asked for and are on their way. */
    FLIGHT(ShuffleFigure.STALL_FLIGHT_MILLIS),
    /** They were not asked for: there was no memory for them, or not yet. */
    BUDGET(ShuffleFigure.STALL_BUDGET_MILLIS),
    /** Its node, or the map output, cannot be had at the moment. */
    SOURCE(ShuffleFigure.STALL_SOURCE_MILLIS);

    private final ShuffleFigure figure;

    StallCause(final ShuffleFigure figure) {
        this.figure = figure;
    }

    /** The figure that sums it. */
    ShuffleFigure figure() {
        return figure;
    }
}
