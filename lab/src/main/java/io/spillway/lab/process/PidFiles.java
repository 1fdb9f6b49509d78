// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.process;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The processes of one cluster by name: a file each, which counts for nothing when its process has
 * not the cluster's mark. Thread-safe.
 *
 * @param folder of the files
 * @param clusterId the mark
 */
public record PidFiles(Path folder, String clusterId) {
    /** Keeps a process's id under a name. */
    public void remember(final String name, final long pid) {
        try {
            Files.createDirectories(folder);
            Files.writeString(file(name), String.valueOf(pid));
        } catch (final IOException e) {
            throw new CommandException("cannot write " + file(name) + ": " + e, e);
        }
    }

    /** The process of a name, where it is alive and provably the one that was remembered. */
    public Optional<Long> pid(final String name) {
        if (!Files.isRegularFile(file(name))) {
            return Optional.empty();
        }
        try {
            return Optional.of(Long.parseLong(Files.readString(file(name)).trim()))
                    .filter(pid -> MarkedProcesses.isMarked(pid, clusterId));
        } catch (final IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The file that has, or takes, the id of a process. */
    public Path file(final String name) {
        return folder.resolve(name + ".pid");
    }
}
