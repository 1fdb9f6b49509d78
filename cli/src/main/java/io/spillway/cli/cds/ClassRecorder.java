// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.run.SiteFiles;
import io.spillway.cli.site.WorkFolder;
import io.spillway.hadoop.job.MapReduceLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds out what tasks load: runs small jobs whose JVMs, MRAppMasters included, write down what
 * they load. Not thread-safe.
 */
public final class ClassRecorder {
    private static final String ROWS = "2000";

    private final MeasuredJobs jobs;
    private final Map<String, String> properties;

    /**
     * Records at the site of the jobs.
     *
     * @param properties of the jobs
     */
    public ClassRecorder(final MeasuredJobs jobs, final Map<String, String> properties) {
        this.jobs = jobs;
        this.properties = Map.copyOf(properties);
    }

    /**
     * Records jobs of some engines.
     *
     * @param folder that this host and all hosts of tasks see by this path, and their user may
     *     write to
     * @throws CommandException where a job fails, or its JVMs have written nothing
     */
    public ArchiveRecipe record(final List<Engine> engines, final Path folder) {
        TaskArchive.requirePlain(folder);
        final Path recordings = folder.resolve("recording-" + ProcessHandle.current().pid());
        try {
            Files.createDirectories(recordings);
            final Set<String> applications = run(engines, recordings);
            final List<JvmRecording> jvms = JvmRecording.readAll(recordings);
            if (jvms.isEmpty()) {
                throw new CommandException(
                        "the JVMs of a job have written nothing to "
                                + recordings
                                + ": expected a folder that all hosts see by this path");
            }
            return ArchiveRecipe.of(
                    jvms, entry -> applications.stream().noneMatch(entry::contains));
        } catch (final IOException e) {
            throw new CommandException("cannot record into " + recordings + ": " + e, e);
        } finally {
            delete(recordings);
        }
    }

    /** What lies in folders of these applications goes with them. */
    private Set<String> run(final List<Engine> engines, final Path recordings) {
        final Map<String, String> recorded =
                JvmOptions.add(this::configured, JvmRecording.options(recordings));
        final String data = jobs.site().dataFolder() + "/cds-" + ProcessHandle.current().pid();
        final Set<String> applications = new HashSet<>();
        try {
            final String input = data + "/input";
            applications.addAll(
                    run(
                            JobSpec.example("teragen", ROWS, input)
                                    .with(Map.of("mapreduce.job.maps", "2"))
                                    .labelled("Record classes: input"),
                            recorded));
            for (final Engine engine : engines) {
                applications.addAll(
                        run(
                                JobSpec.example("wordcount", input, data + "/" + engine.label())
                                        .with(engine)
                                        .labelled("Record classes: " + engine.label()),
                                recorded));
            }
            return applications;
        } finally {
            new SiteFiles(jobs.site()).delete(data);
        }
    }

    private Optional<String> configured(final String name) {
        return Optional.ofNullable(properties.get(name)).or(() -> jobs.site().property(name));
    }

    private List<String> run(final JobSpec job, final Map<String, String> recorded) {
        final JobResult result =
                jobs.run(
                        job.with(properties)
                                .with(recorded)
                                .with(Map.of("mapreduce.job.ubertask.enable", "false")));
        return result.jobIds().stream().map(MapReduceLayout::applicationOf).toList();
    }

    private static void delete(final Path folder) {
        try {
            WorkFolder.deleteTree(folder);
        } catch (final IOException e) {
            System.getLogger(ClassRecorder.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot delete " + folder, e);
        }
    }
}
