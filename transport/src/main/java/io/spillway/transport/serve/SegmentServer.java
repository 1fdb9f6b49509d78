// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import io.spillway.transport.NodeAddress;
import java.util.Set;

/**
 * Serves segments to authenticated clients over one transport. Whatever a client sends ends at most
 * its own connection, with one line in the log. Thread-safe.
 */
public interface SegmentServer extends AutoCloseable {
    /** The name of the transport, as settings and reports have it. */
    String transport();

    /** Where clients connect to; never port 0. */
    NodeAddress address();

    /** What it has done so far. Does not block. */
    ServerStats stats();

    /** Adds the jobs that have proved connections now. Does not block. */
    void addJobsInUse(Set<String> jobs);

    /** Ends the connections of a job that has ended. */
    void dropJob(String jobId);

    /** Stops listening, ends every connection and frees threads and memory. Idempotent. */
    @Override
    void close();
}
