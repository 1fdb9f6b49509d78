// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.report.ShuffleCounter;
import java.io.IOException;

/** The framework's counters and limits of a map task. One thread at a time. */
public interface MapCounters {
    /** So many records were written to spills or to the output. */
    void recordsSpilled(long count);

    /**
     * The sort buffer was spilled.
     *
     * @param spills how often by now
     * @throws IOException when that is more than the framework allows
     */
    void spilled(int spills) throws IOException;

    /** The output is complete; so many bytes. */
    void outputWritten(long bytes);

    /** The figure that a spill's bytes count in, by the tier that took it. */
    ShuffleCounter figureOfSpill(String tier);

    /** The figure that the output's bytes count in, by the tier that took it. */
    ShuffleCounter figureOfOutput(String tier);
}
