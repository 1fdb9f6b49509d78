// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

/** Receives how far the start of a cluster is. Called from one thread. */
@FunctionalInterface
public interface StartListener {
    /** Hears nothing. */
    StartListener NONE = (done, total, what) -> {};

    /**
     * A step is done, or still waited for.
     *
     * @param done steps that are done
     * @param total steps in all
     * @param what the step, in words
     */
    void onStep(int done, int total, String what);
}
