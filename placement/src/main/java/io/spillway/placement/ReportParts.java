// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.placement.message.CommittedOutput;
import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.ReportContent;
import io.spillway.placement.message.SealedJob;
import java.util.ArrayList;
import java.util.List;

/** Cuts what a node has to report into parts that each fit into a message. Used by one thread. */
final class ReportParts {
    private final List<ReportContent> parts = new ArrayList<>();
    private List<String> knownJobs = new ArrayList<>();
    private List<SealedJob> jobs = new ArrayList<>();
    private List<JobOutputs> outputs = new ArrayList<>();
    private int outputCount;

    void addKnown(final String jobId) {
        if (knownJobs.size() == ReportContent.MAX_KNOWN_JOBS) {
            cut();
        }
        knownJobs.add(jobId);
    }

    void add(final SealedJob job) {
        if (jobs.size() == ReportContent.MAX_JOBS) {
            cut();
        }
        jobs.add(job);
    }

    void add(final JobOutputs held) {
        List<CommittedOutput> rest = held.outputs();
        while (!rest.isEmpty()) {
            if (outputCount == ReportContent.MAX_OUTPUTS) {
                cut();
            }
            final int count = Math.min(rest.size(), ReportContent.MAX_OUTPUTS - outputCount);
            outputs.add(new JobOutputs(held.jobId(), rest.subList(0, count)));
            outputCount += count;
            rest = rest.subList(count, rest.size());
        }
    }

    private void cut() {
        parts.add(new ReportContent(knownJobs, jobs, outputs));
        knownJobs = new ArrayList<>();
        jobs = new ArrayList<>();
        outputs = new ArrayList<>();
        outputCount = 0;
    }

    /** All parts; one at least. */
    List<ReportContent> finish() {
        cut();
        return List.copyOf(parts);
    }
}
