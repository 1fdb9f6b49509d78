// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

/** Hears of a running program. Called by one thread at a time. */
public interface JobListener {
    /** Hears nothing. */
    JobListener NONE = new JobListener() {};

    /**
     * A line the program printed.
     *
     * @param isOutput whether on its standard output, not on its error stream
     */
    default void onLine(final String line, final boolean isOutput) {}

    /** A job was submitted. */
    default void onJob(final String jobId) {}

    /** The current job's progress, each from 0 to 100. */
    default void onProgress(final int mapPercent, final int reducePercent) {}
}
