// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.profile;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.Jobs;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.site.HadoopSite;
import io.spillway.lab.cluster.ClusterStatus;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.lab.cluster.daemon.DaemonRole;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Runs jobs and takes samples meanwhile: one file of samples for each measured job. */
public final class ProfiledJobs implements Jobs {
    private final MeasuredJobs jobs;
    private final Path folder;
    private final long intervalMillis;

    /**
     * Wraps jobs.
     *
     * @param folder of the files, which are named by the jobs' labels
     */
    public ProfiledJobs(final MeasuredJobs jobs, final Path folder, final long intervalMillis) {
        this.jobs = jobs;
        this.folder = folder;
        this.intervalMillis = intervalMillis;
    }

    @Override
    public HadoopSite site() {
        return jobs.site();
    }

    @Override
    public JobFigures measure(final JobSpec spec) {
        try (JobProfiler profiler = new JobProfiler(nodeManagers(), intervalMillis)) {
            final JobFigures figures = jobs.measure(spec, profiler);
            profiler.write(file(folder, spec.label()));
            return figures;
        }
    }

    /** The file of a job with this label. */
    public static Path file(final Path folder, final String label) {
        return folder.resolve(label.replaceAll("[^A-Za-z0-9.@+=]+", "-") + ".csv");
    }

    @Override
    public JobResult run(final JobSpec spec) {
        return jobs.run(spec);
    }

    /** Returns a process of each emulated host: each host has a network of its own. */
    private List<Long> nodeManagers() {
        if (!(site() instanceof LocalCluster cluster) || !cluster.spec().emulatesHosts()) {
            return List.of();
        }
        return cluster.status().daemons().stream()
                .filter(daemon -> daemon.name().startsWith(DaemonRole.NODE_MANAGER.label()))
                .map(ClusterStatus.Daemon::pid)
                .flatMap(Optional::stream)
                .toList();
    }
}
