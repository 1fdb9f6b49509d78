// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.cds.ClassRecorder;
import io.spillway.cli.cds.TaskArchive;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.engine.EngineConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The archive of class data that all jobs of a comparison use. It is made when it is first asked
 * for, and deleted at the end. Not thread-safe.
 */
final class ClassData implements AutoCloseable {
    private final MeasuredJobs jobs;
    private final Path folder;
    private TaskArchive archive;

    ClassData(final MeasuredJobs jobs, final WorkFolder work) {
        this.jobs = jobs;
        this.folder = work.classData().resolve("compare-" + ProcessHandle.current().pid());
    }

    /** The plan with the archive for all of its jobs. */
    Comparison.Plan addTo(final Comparison.Plan plan) {
        if (archive == null) {
            archive =
                    TaskArchive.make(
                            new ClassRecorder(jobs, plan.properties())
                                    .record(
                                            plan.engines().stream()
                                                    .map(EngineConfig::engine)
                                                    .distinct()
                                                    .toList(),
                                            folder),
                            folder);
        }
        final Map<String, String> given = plan.properties();
        return plan.with(
                archive.jobProperties(
                        name ->
                                Optional.ofNullable(given.get(name))
                                        .or(() -> jobs.site().property(name))));
    }

    @Override
    public void close() {
        try {
            WorkFolder.deleteTree(folder);
        } catch (final IOException e) {
            throw new CommandException("cannot delete " + folder + ": " + e, e);
        }
    }
}
