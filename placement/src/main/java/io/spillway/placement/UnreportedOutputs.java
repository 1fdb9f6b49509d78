// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The outputs committed since the last report that was answered. Where they are too many, all are
 * dropped: then the node lists everything that it holds instead. Thread-safe.
 */
final class UnreportedOutputs {
    private final int max;
    private final Map<String, List<CommittedOutput>> waiting = new LinkedHashMap<>();

    /** What is in the report that is under way. */
    private final Map<String, List<CommittedOutput>> taken = new LinkedHashMap<>();

    private int count;
    private int takenCount;
    private boolean overflown;

    UnreportedOutputs(final int max) {
        this.max = max;
    }

    synchronized void add(final String jobId, final CommittedOutput output) {
        if (overflown) {
            return;
        }
        if (count == max) {
            listAll();
            return;
        }
        waiting.computeIfAbsent(jobId, id -> new ArrayList<>()).add(output);
        count++;
    }

    /** The next report has to list all that the node holds. */
    synchronized void listAll() {
        clear();
        overflown = true;
    }

    /** Whether some were dropped since the last {@link #clear}. */
    synchronized boolean isOverflown() {
        return overflown;
    }

    /** All of them; they stay until they are {@link #acknowledged}. */
    synchronized List<JobOutputs> take() {
        waiting.forEach(
                (jobId, outputs) ->
                        taken.computeIfAbsent(jobId, id -> new ArrayList<>()).addAll(outputs));
        waiting.clear();
        takenCount = count;
        final List<JobOutputs> all = new ArrayList<>(taken.size());
        taken.forEach((jobId, outputs) -> all.add(new JobOutputs(jobId, outputs)));
        return all;
    }

    /** The service knows what was taken. */
    synchronized void acknowledged() {
        taken.clear();
        count -= takenCount;
        takenCount = 0;
    }

    /** A list of all that the node holds is made from now on. */
    synchronized void clear() {
        waiting.clear();
        taken.clear();
        count = 0;
        takenCount = 0;
        overflown = false;
    }
}
