// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import java.util.HashMap;
import java.util.Map;

/**
 * The outputs of one job, and what they take of memory, files and heap together. The map is guarded
 * by the store; the rest is thread-safe.
 */
final class HeldJob {
    private final Map<String, HeldOutput> outputs = new HashMap<>();
    private final long limit;
    private long used;

    /**
     * Creates a job without outputs.
     *
     * @param limit what it may take, in bytes
     */
    HeldJob(final long limit) {
        this.limit = limit;
    }

    Map<String, HeldOutput> outputs() {
        return outputs;
    }

    /** Whether so many bytes more are within the limit. */
    synchronized boolean mayTake(final long bytes) {
        return used + bytes <= limit;
    }

    /** It takes so many bytes more, or fewer. */
    synchronized void add(final long difference) {
        used += difference;
    }

    private synchronized long used() {
        return used;
    }

    /** Returns the outputs and bytes of the job; the caller guards the map. */
    JobHolding holding(final String jobId) {
        return new JobHolding(jobId, outputs.size(), used());
    }

    String fill() {
        return "the job has used=" + used() + " of its limit=" + limit;
    }
}
