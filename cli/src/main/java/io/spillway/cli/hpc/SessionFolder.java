// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder on the shared file system of one Hadoop in an allocation. What is of use afterwards
 * stays in it: logs, reports, the job history, the configuration.
 *
 * @param root the folder
 */
record SessionFolder(Path root) {
    private static final String ENDED = ".ended";
    private static final String RANK = ".rank";
    private static final String FAILED = ".failed";

    static SessionFolder of(final Path shared, final String id) {
        return new SessionFolder(shared.toAbsolutePath().normalize().resolve("spillway-hpc-" + id));
    }

    String path() {
        return root.toString();
    }

    /** What clients and the master see. */
    Path conf() {
        return root.resolve("conf");
    }

    /** What NodeManagers and node processes see. */
    Path nodeConf() {
        return root.resolve("conf-node");
    }

    Path logs() {
        return root.resolve("logs");
    }

    Path history() {
        return root.resolve("history");
    }

    /** What YARN and jobs keep while they run. */
    Path state() {
        return root.resolve("state");
    }

    /** What the hosts tell each other, and the file by which the session is known to be there. */
    Path run() {
        return root.resolve("run");
    }

    /** By what node processes know each other. */
    Path secret() {
        return run().resolve("cluster.secret");
    }

    /** As a work folder: reports go to {@code reports} in it. */
    WorkFolder work() {
        return new WorkFolder(root, WorkOptions.repository());
    }

    /** What runs on each host. */
    String agent() {
        return WorkOptions.repository()
                .resolve("dist/spillway-hpc-host")
                .toAbsolutePath()
                .toString();
    }

    /** Whether it was started and not stopped. */
    boolean isRunning() {
        return Files.isDirectory(run());
    }

    /** How many hosts have ended and left nothing. */
    int ended() {
        return runFiles(ENDED).size();
    }

    /** How many hosts have a node process that is a rank and serves tasks. */
    int ranks() {
        return runFiles(RANK).size();
    }

    /** The logs of daemons that have ended by themselves. */
    List<Path> failedLogs() {
        return runFiles(FAILED).stream()
                .map(
                        name ->
                                logs().resolve(
                                                name.substring(0, name.length() - FAILED.length())
                                                        + ".log"))
                .toList();
    }

    private List<String> runFiles(final String end) {
        try (Stream<Path> files = Files.list(run())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(end))
                    .toList();
        } catch (final IOException e) {
            throw new CommandException("cannot list " + run() + ": " + e, e);
        }
    }

    /** The logs of a job's tasks, once the hosts have ended. */
    List<Path> taskLogs(final String jobId) {
        final String application = jobId.replace("job_", "application_");
        final Path containers = logs().resolve("containers");
        if (!Files.isDirectory(containers)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(containers)) {
            return files.filter(file -> file.endsWith("syslog"))
                    .filter(file -> file.toString().contains("/" + application + "/"))
                    .toList();
        } catch (final IOException e) {
            throw new CommandException("cannot list " + containers + ": " + e, e);
        }
    }

    /** Deletes what only running daemons need, the secret first. */
    void deleteState() {
        try {
            Files.deleteIfExists(secret());
            WorkFolder.deleteTree(state());
            WorkFolder.deleteTree(run());
        } catch (final IOException e) {
            throw new CommandException("cannot delete what is left in " + root + ": " + e, e);
        }
    }
}
