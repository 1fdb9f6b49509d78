// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

/** A stage of a map task. */
public enum MapStage {
    /** The framework reads the task's input. */
    READ,
    /** The job's own code runs. */
    MAP,
    /** A record is taken into the sort buffer. */
    COLLECT,
    /** The sort buffer is sorted and written. */
    SPILL,
    /** Spills are merged. */
    MERGE
}
