// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.ServiceCpu;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Runs each program in a JVM of its own, shows its progress, and reads figures from the history.
 */
public final class MeasuredJobs implements Jobs {
    private static final Duration HISTORY_PATIENCE = Duration.ofSeconds(60);
    private static final int STEPS = 200;

    private final JobClient client;
    private final HistoryClient history;
    private final Monitor monitor;
    private final Consumer<JobFigures> reports;

    /**
     * Runs jobs at a site.
     *
     * @param monitor shows their progress
     * @param reports receives each job's figures
     */
    public MeasuredJobs(
            final HadoopSite site, final Monitor monitor, final Consumer<JobFigures> reports) {
        this.client = new JobClient(site);
        this.history =
                HistoryClient.of(site)
                        .orElseThrow(() -> new CommandException("no JobHistoryServer to ask"));
        this.monitor = monitor;
        this.reports = reports;
    }

    @Override
    public HadoopSite site() {
        return client.site();
    }

    @Override
    public JobFigures measure(final JobSpec spec) {
        return measure(spec, JobListener.NONE);
    }

    /** As {@link #measure(JobSpec)}; the listener receives the job's progress, too. */
    public JobFigures measure(final JobSpec spec, final JobListener listener) {
        try (Monitor.Task task = monitor.begin(spec.label(), STEPS)) {
            final ServiceCpu before = site().serviceCpu();
            final JobResult result = client.require(spec, new Follower(task, listener));
            final ServiceCpu services = site().serviceCpu().since(before);
            final List<JobFigures> chain = chain(spec, result);
            final JobFigures figures = JobFigures.ofChain(chain).withServices(services);
            (chain.size() == 1 ? List.of(figures) : chain).forEach(reports);
            task.done(
                    String.format(
                            Locale.ROOT,
                            "(job %.1f s, CPU %.1f s)",
                            figures.wallMillis() / 1e3,
                            figures.cpuMillis().total() / 1e3));
            return figures;
        }
    }

    /** Returns the figures of all jobs that a program has submitted. */
    private List<JobFigures> chain(final JobSpec spec, final JobResult result) {
        if (result.jobIds().isEmpty()) {
            throw new CommandException(
                    spec.label() + ": no job was submitted; log: " + result.log());
        }
        final List<JobFigures> chain = new ArrayList<>();
        for (final String id : result.jobIds()) {
            final JobFigures job = history.job(id, HISTORY_PATIENCE).withLogs(site().taskLogs(id));
            if (!job.succeeded()) {
                throw new CommandException(spec.label() + ": " + id + " " + job.state());
            }
            chain.add(job);
        }
        return chain;
    }

    @Override
    public JobResult run(final JobSpec spec) {
        try (Monitor.Task task = monitor.begin(spec.label(), STEPS)) {
            final JobResult result = client.require(spec, new Follower(task, JobListener.NONE));
            task.done("");
            return result;
        }
    }

    private record Follower(Monitor.Task task, JobListener next) implements JobListener {
        @Override
        public void onProgress(final int mapPercent, final int reducePercent) {
            next.onProgress(mapPercent, reducePercent);
            task.at(
                    mapPercent + (long) reducePercent,
                    "map " + mapPercent + " % reduce " + reducePercent + " %");
        }
    }
}
