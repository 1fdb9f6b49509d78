// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

/** Takes reports of outputs that cannot be had, so that the framework runs their maps again. */
public interface FailureReports {
    /** Reports an output, with the next status of the task. Called by the loop's thread. */
    void outputFailed(OutputId output);

    /** Sends what was reported now, for the task is about to fail. Called by the task thread. */
    void send();
}
