// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;
import java.util.List;

/**
 * The lists of a {@link NodeReport}; the longest ones fit into a message. Immutable.
 *
 * @param knownJobs jobs of the node's host that the service has announced: their ids
 * @param jobs jobs of the node's host that it has not announced
 * @param outputs what the node holds, by jobs
 */
public record ReportContent(
        List<String> knownJobs, List<SealedJob> jobs, List<JobOutputs> outputs) {
    /** The most entries of {@code knownJobs}. */
    public static final int MAX_KNOWN_JOBS = 2048;

    /** The most entries of {@code jobs}. */
    public static final int MAX_JOBS = 64;

    /** The most outputs, those of all jobs together; none of the jobs is without outputs. */
    public static final int MAX_OUTPUTS = 2048;

    /** Nothing. */
    public static final ReportContent EMPTY = new ReportContent(List.of(), List.of(), List.of());

    /** Checks the sizes and copies the lists. */
    public ReportContent {
        knownJobs = List.copyOf(knownJobs);
        jobs = List.copyOf(jobs);
        outputs = List.copyOf(outputs);
        knownJobs.forEach(id -> OpaqueId.require("jobId", id));
        require("knownJobs", knownJobs.size(), MAX_KNOWN_JOBS);
        require("jobs", jobs.size(), MAX_JOBS);
        require("outputs", count(outputs), MAX_OUTPUTS);
    }

    private static void require(final String list, final int size, final int max) {
        if (size > max) {
            throw new IllegalArgumentException(
                    list + "=" + size + ", expected 0 to " + max + " in one report");
        }
    }

    private static int count(final List<JobOutputs> outputs) {
        return outputs.stream().mapToInt(job -> Math.max(1, job.outputs().size())).sum();
    }

    void encode(final FrameWriter out) {
        out.list(knownJobs, (writer, id) -> writer.id("jobId", id));
        out.list(jobs, (writer, job) -> job.encode(writer));
        out.list(outputs, (writer, job) -> job.encode(writer));
    }

    static ReportContent decode(final FrameReader in) throws MalformedFrameException {
        final List<String> knownJobs =
                in.list("knownJobs", 0, MAX_KNOWN_JOBS, reader -> reader.id("jobId"));
        final List<SealedJob> jobs = in.list("jobs", 0, MAX_JOBS, SealedJob::decode);
        final List<JobOutputs> outputs = in.list("outputs", 0, MAX_OUTPUTS, JobOutputs::decode);
        if (count(outputs) > MAX_OUTPUTS) {
            throw in.malformed("outputs of all jobs", count(outputs), "0 to " + MAX_OUTPUTS);
        }
        return new ReportContent(knownJobs, jobs, outputs);
    }
}
