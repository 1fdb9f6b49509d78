// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.OpaqueId;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * What a node has to apply to the jobs that it knows. The longest lists fit into a message.
 * Immutable.
 *
 * @param version what the node has applied then
 * @param reset whether this begins the list of all jobs: the node's version was not of this table,
 *     or is too old
 * @param complete whether a job that is in no part of such a list is not known; else the service
 *     has started just now and does not know all jobs yet
 * @param more whether there are further changes, for which the node asks by its next report
 * @param jobs that run
 * @param kept jobs that run perhaps: no host has reported them for long, or none has reported their
 *     secrets yet; a node that has something of them keeps it while they have users, and for a time
 *     beyond
 * @param ended jobs that have ended
 */
public record TableChanges(
        TableVersion version,
        boolean reset,
        boolean complete,
        boolean more,
        List<SealedJob> jobs,
        List<String> kept,
        List<String> ended) {
    /** The most entries of {@code jobs}. */
    public static final int MAX_JOBS = 128;

    /** The most entries of {@code kept} and {@code ended}, of each. */
    public static final int MAX_IDS = 1024;

    /** Checks the sizes and copies the lists. */
    public TableChanges {
        Objects.requireNonNull(version, "version");
        jobs = List.copyOf(jobs);
        kept = List.copyOf(kept);
        ended = List.copyOf(ended);
        kept.forEach(id -> OpaqueId.require("jobId", id));
        ended.forEach(id -> OpaqueId.require("jobId", id));
        if (jobs.size() > MAX_JOBS || kept.size() > MAX_IDS || ended.size() > MAX_IDS) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "jobs=%d kept=%d ended=%d, expected at most %d, %d and %d",
                            jobs.size(),
                            kept.size(),
                            ended.size(),
                            MAX_JOBS,
                            MAX_IDS,
                            MAX_IDS));
        }
    }

    /** The same with other jobs that run. */
    public TableChanges withJobs(final List<SealedJob> other) {
        return new TableChanges(version, reset, complete, more, other, kept, ended);
    }

    /** Nothing to apply yet: the service does not know the node's outputs. */
    public static TableChanges later(final TableVersion applied) {
        return new TableChanges(applied, false, false, true, List.of(), List.of(), List.of());
    }

    void encode(final FrameWriter out, final int layout) {
        version.encode(out);
        out.flag(reset).flag(complete).flag(more);
        out.list(jobs, (writer, job) -> job.encode(writer, layout));
        out.list(kept, (writer, id) -> writer.id("jobId", id));
        out.list(ended, (writer, id) -> writer.id("jobId", id));
    }

    static TableChanges decode(final FrameReader in, final int layout)
            throws MalformedFrameException {
        final TableVersion version = TableVersion.decode(in);
        final boolean reset = in.flag("reset");
        final boolean complete = in.flag("complete");
        final boolean more = in.flag("more");
        final List<SealedJob> jobs =
                in.list("jobs", 0, MAX_JOBS, reader -> SealedJob.decode(reader, layout));
        final List<String> kept = in.list("kept", 0, MAX_IDS, reader -> reader.id("jobId"));
        final List<String> ended = in.list("ended", 0, MAX_IDS, reader -> reader.id("jobId"));
        return new TableChanges(version, reset, complete, more, jobs, kept, ended);
    }
}
