// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.report.JobReports;
import io.spillway.cli.run.HistoryClient;
import io.spillway.cli.run.JobFigures;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Saves the shuffle reports of the jobs of a session. They are asked for while the JobHistoryServer
 * lives; what tasks' logs add is at hand when the hosts have ended. Thread-safe.
 */
final class HpcReports {
    private static final System.Logger LOG = System.getLogger(HpcReports.class.getName());

    private final SessionFolder session;
    private final HpcWeb web;
    private final Map<String, JobFigures> jobs = new TreeMap<>();

    HpcReports(final SessionFolder session, final HpcWeb web) {
        this.session = session;
        this.web = web;
    }

    /** Saves the reports of the jobs that have ended since the last time. */
    synchronized void collect() {
        try {
            final HistoryClient history = new HistoryClient(web.historyServer());
            for (final String job : history.jobs()) {
                if (!jobs.containsKey(job)) {
                    jobs.put(job, history.job(job, Duration.ZERO));
                    new JobReports(session.work()).save(jobs.get(job));
                }
            }
        } catch (final CommandException e) {
            LOG.log(System.Logger.Level.DEBUG, "the JobHistoryServer is not there", e);
        }
    }

    /** Saves them again, with what the tasks' logs tell. */
    synchronized Map<String, Path> complete() {
        final Map<String, Path> saved = new TreeMap<>();
        jobs.forEach(
                (job, figures) ->
                        saved.put(
                                job,
                                new JobReports(session.work())
                                        .save(figures.withLogs(session.taskLogs(job)))));
        return saved;
    }
}
