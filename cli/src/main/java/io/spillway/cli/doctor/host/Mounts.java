// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is mounted where, as the kernel says. Immutable. */
final class Mounts {
    private static final int FIELDS = 4;

    /**
     * One mount.
     *
     * @param path where
     * @param type of the file system
     * @param options such as {@code ro} and {@code noexec}
     */
    record Mount(Path path, String type, List<String> options) {}

    private final List<Mount> mounts;

    private Mounts(final List<Mount> mounts) {
        this.mounts = List.copyOf(mounts);
    }

    /** Those that this process sees. */
    static Mounts of(final HostFiles files) {
        final List<Mount> mounts = new ArrayList<>();
        for (final String line : files.lines("/proc/self/mounts")) {
            final String[] fields = line.split(" ", -1);
            if (fields.length >= FIELDS) {
                mounts.add(
                        new Mount(
                                Path.of(fields[1].replace("\\040", " ")),
                                fields[2],
                                List.of(fields[3].split(",", -1))));
            }
        }
        return new Mounts(mounts);
    }

    /** The mount that a path is on: of the longest path, the last one of these. */
    Optional<Mount> of(final Path path) {
        Mount found = null;
        for (final Mount mount : mounts) {
            if (path.startsWith(mount.path())
                    && (found == null
                            || mount.path().getNameCount() >= found.path().getNameCount())) {
                found = mount;
            }
        }
        return Optional.ofNullable(found);
    }
}
