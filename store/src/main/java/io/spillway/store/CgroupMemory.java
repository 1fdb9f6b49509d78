// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the memory control groups of this process still allow: a Slurm job or a container may have
 * less than its host, and pages of tmpfs count there too. Caches of files can be given up, so they
 * count as free. Version 1 and 2 of the kernel's interface. Immutable, thread-safe.
 */
final class CgroupMemory {
    private static final Path OWN_GROUPS = Path.of("/proc/self/cgroup");
    private static final Path MOUNT = Path.of("/sys/fs/cgroup");
    private static final Set<String> FILE_CACHES =
            Set.of("total_inactive_file", "total_active_file", "inactive_file", "active_file");

    /** The names of one version's files. */
    private enum Version {
        V1("memory.limit_in_bytes", "memory.usage_in_bytes"),
        V2("memory.max", "memory.current");

        private final String limit;
        private final String usage;

        Version(final String limit, final String usage) {
            this.limit = limit;
            this.usage = usage;
        }
    }

    /** One group. */
    private record Group(Path folder, Version version) {}

    private final List<Group> groups;

    private CgroupMemory(final List<Group> groups) {
        this.groups = List.copyOf(groups);
    }

    /** Of the groups that this process is in now. */
    static CgroupMemory ofThisProcess() {
        return of(OWN_GROUPS, MOUNT);
    }

    /**
     * Of the groups that a file names.
     *
     * @param ownGroups in the layout of {@code /proc/self/cgroup}
     * @param mount where the hierarchies are mounted
     */
    static CgroupMemory of(final Path ownGroups, final Path mount) {
        final List<Group> groups = new ArrayList<>();
        try {
            for (final String line : Files.readAllLines(ownGroups)) {
                final String[] fields = line.split(":", 3);
                if (fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
                    addAll(groups, mount.resolve("memory"), fields[2], Version.V1);
                } else if (fields.length == 3 && fields[1].isEmpty()) {
                    addAll(groups, mount, fields[2], Version.V2);
                }
            }
        } catch (final IOException e) {
            return new CgroupMemory(List.of());
        }
        return new CgroupMemory(groups);
    }

    /** A group and all above it, as far as they can be seen from here. */
    private static void addAll(
            final List<Group> groups, final Path root, final String path, final Version version) {
        Path folder = root.resolve(path.replaceFirst("^/+", "")).normalize();
        while (folder != null && folder.startsWith(root)) {
            groups.add(new Group(folder, version));
            folder = folder.getParent();
        }
    }

    /** The bytes that they still allow; {@link Long#MAX_VALUE} where none has a limit. */
    long available() {
        long least = Long.MAX_VALUE;
        for (final Group group : groups) {
            least = Math.min(least, available(group));
        }
        return least;
    }

    private static long available(final Group group) {
        try {
            final long limit = number(group.folder().resolve(group.version().limit));
            final long usage = number(group.folder().resolve(group.version().usage));
            return Math.max(0, limit - Math.max(0, usage - fileCaches(group)));
        } catch (final IOException | NumberFormatException e) {
            // A group above a container's root, or the root itself: no limit there.
            return Long.MAX_VALUE;
        }
    }

    private static long number(final Path file) throws IOException {
        final String text = Files.readString(file).trim();
        return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
    }

    private static long fileCaches(final Group group) throws IOException {
        long inGroup = 0;
        long inTree = 0;
        for (final String line : Files.readAllLines(group.folder().resolve("memory.stat"))) {
            final String[] fields = line.split(" ", 2);
            if (fields.length == 2 && FILE_CACHES.contains(fields[0])) {
                final long bytes = Long.parseLong(fields[1].trim());
                inTree += fields[0].startsWith("total_") ? bytes : 0;
                inGroup += fields[0].startsWith("total_") ? 0 : bytes;
            }
        }
        return group.version() == Version.V1 ? inTree : inGroup;
    }
}
