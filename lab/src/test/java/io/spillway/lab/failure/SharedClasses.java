// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import io.spillway.cli.cds.ClassRecorder;
import io.spillway.cli.cds.TaskArchive;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.run.Monitor;
import io.spillway.lab.cluster.Clusters;
import io.spillway.lab.cluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An archive of class data for the tasks of failure tests: most of what these JVMs do is loading
 * classes. Made once for the JVMs that run tests side by side, in a folder that {@code mvn clean}
 * deletes, and again when a jar has changed.
 */
final class SharedClasses {
    private static final String ENDING = ".jsa";
    private static final String FOLDER = "lab/target/.spillway/classes";
    private static final Set<StandardOpenOption> LOCK =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);

    private SharedClasses() {}

    /** The properties of jobs whose JVMs use the archive. */
    static Map<String, String> jobProperties(final LocalCluster cluster) {
        try {
            final Path folder =
                    Files.createDirectories(Clusters.work().repository().resolve(FOLDER))
                            .toRealPath();
            final TaskArchive archive;
            // The kernel frees the lock with the file.
            try (FileChannel lock = FileChannel.open(folder.resolve("lock"), LOCK)) {
                lock.lock();
                final Optional<TaskArchive> found = find(folder);
                archive = found.isPresent() ? found.get() : make(cluster, folder);
            }
            return archive.jobProperties(cluster::property);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<TaskArchive> find(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(ENDING))
                    .map(TaskArchive::open)
                    .filter(archive -> archive.problem().isEmpty())
                    .findFirst();
        }
    }

    private static TaskArchive make(final LocalCluster cluster, final Path folder) {
        final MeasuredJobs jobs = new MeasuredJobs(cluster, Monitor.NONE, job -> {});
        return TaskArchive.make(
                new ClassRecorder(jobs, Map.of()).record(List.of(Engine.SPILLWAY), folder), folder);
    }
}
