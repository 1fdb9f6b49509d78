// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.NodeReport;
import io.spillway.placement.message.SealedJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Finds the jobs that have ended: each host that had one has reported again without it, and all
 * hosts have reported once more since, so that no other one has it. A host whose process was
 * started again, or is silent, counts as one that still has its jobs until that process reports
 * again: {@link BookJobs#giveUpSilent} is for those that never do. Guarded by the book.
 */
final class DroppedJobs {
    private final BookNodes nodes;
    private final BookJobs jobs;

    /** The jobs that no host reports any more, with the number of the last report. */
    private final Map<String, Long> dropped = new HashMap<>();

    /** Whole reports so far. */
    private long reports;

    DroppedJobs(final BookNodes nodes, final BookJobs jobs) {
        this.nodes = nodes;
        this.jobs = jobs;
    }

    /** Takes the jobs of a report, or of a part of one; they are among the jobs already. */
    void reported(final BookNode node, final NodeReport report) {
        final List<String> ofPart = new ArrayList<>(report.content().knownJobs());
        report.content().jobs().stream().map(SealedJob::id).forEach(ofPart::add);
        for (final String jobId : ofPart) {
            jobs.find(jobId).addHost(node.identity());
            dropped.remove(jobId);
        }
        if (node.hostJobs().takes(report.part(), ofPart)) {
            reports++;
            node.hostJobs().dropped(reports).forEach(jobId -> dropped(jobId, node));
        }
    }

    private void dropped(final String jobId, final BookNode node) {
        final BookJob job = jobs.find(jobId);
        if (job != null && job.removeHost(node.identity().name())) {
            dropped.put(jobId, reports);
        }
    }

    /** Whether all hosts that had a job have reported without it. */
    boolean contains(final String jobId) {
        return dropped.containsKey(jobId);
    }

    /** Ends those that no node can have any more. */
    void end() {
        final Iterator<Map.Entry<String, Long>> each = dropped.entrySet().iterator();
        while (each.hasNext()) {
            final Map.Entry<String, Long> job = each.next();
            if (nodes.haveAllReportedSince(job.getValue())) {
                each.remove();
                jobs.end(job.getKey());
            }
        }
    }
}
