// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import io.spillway.lab.engine.EngineConfig;

/** Looks at a comparison's data beside the checksums that are always compared. */
public interface OutputCheck {
    /** Looks at nothing. */
    OutputCheck NONE = new OutputCheck() {};

    /**
     * The input is made.
     *
     * @param input where it lies
     * @param folder for files of the check
     */
    default void onInput(final String input, final String folder) {}

    /**
     * An output is made.
     *
     * @param output where it lies
     * @param folder for files of the check
     * @param engine that made it
     */
    default void onOutput(final String output, final String folder, final EngineConfig engine) {}
}
