// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import io.spillway.report.TaskReport;

/** Opens channels to nodes. Thread-safe; one a task, closed at its end. */
public interface Transport extends AutoCloseable {
    /** The name that settings and reports use, such as {@code tcp}. */
    String name();

    /**
     * Opens a channel: connects, and proves to the node and has it prove that both know the job's
     * secret. Blocks, at most for the connect time-out.
     *
     * @throws FetchException with {@code NOT_SPILLWAY} when a stock handler answers, {@code
     *     UNAUTHORIZED}, {@code UNKNOWN_JOB}, {@code BUSY}, {@code DISCONNECTED}, {@code TIMED_OUT}
     *     or {@code PROTOCOL}
     */
    Channel open(NodeAddress address, JobCredentials credentials) throws FetchException;

    /** Adds to a task's report what only the transport knows. */
    default void noteIn(final TaskReport report) {}

    /** Closes every channel and frees threads and memory. Idempotent. */
    @Override
    void close();
}
