// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.process.MarkedProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folders of local clusters in shared memory; each outlives its cluster if all of it is killed.
 */
final class ClusterMemory {
    /** Memory as files, on Linux. */
    static final Path SHARED = Path.of("/dev/shm");

    private static final String PREFIX = "spillway-cluster-";

    /** A cluster that another command starts has its folder before it has processes. */
    private static final Duration STARTING = Duration.ofMinutes(5);

    private ClusterMemory() {}

    static Path ofCluster(final String id) {
        return SHARED.resolve(PREFIX + id);
    }

    /** Deletes, or only finds, this user's folders whose clusters have no process any more. */
    static List<Path> clean(final boolean dryRun) {
        final List<Path> left = new ArrayList<>();
        for (final Path folder : all()) {
            try {
                if (isLeft(folder)) {
                    left.add(folder);
                    if (!dryRun) {
                        WorkFolder.deleteTree(folder);
                    }
                }
            } catch (final IOException e) {
                throw new CommandException("cannot delete " + folder + ": " + e, e);
            }
        }
        return left;
    }

    private static List<Path> all() {
        if (!Files.isDirectory(SHARED)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(SHARED)) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith(PREFIX))
                    .sorted()
                    .toList();
        } catch (final IOException e) {
            throw new CommandException("cannot list " + SHARED + ": " + e, e);
        }
    }

    private static boolean isLeft(final Path folder) throws IOException {
        final String id = folder.getFileName().toString().substring(PREFIX.length());
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(folder).getName().equals(System.getProperty("user.name"))
                && Files.getLastModifiedTime(folder)
                        .toInstant()
                        .isBefore(Instant.now().minus(STARTING))
                && MarkedProcesses.find(id).isEmpty();
    }
}
