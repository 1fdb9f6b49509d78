// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.node.process.NodeMain;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A process of this host that serves map outputs. Immutable.
 *
 * @param pid its number
 * @param kind what it is
 */
record HadoopDaemon(long pid, Kind kind) {
    private static final String NODE_MANAGER =
            "org.apache.hadoop.yarn.server.nodemanager.NodeManager";

    /** What a process is. */
    enum Kind {
        NODE_MANAGER("NodeManager", HadoopDaemon.NODE_MANAGER),
        NODE_PROCESS("node process", NodeMain.class.getName());

        private final String label;
        private final String main;

        Kind(final String label, final String main) {
            this.label = label;
            this.main = main;
        }

        /** What people call it. */
        String label() {
            return label;
        }
    }

    /** All of a host. */
    static List<HadoopDaemon> all(final HostFiles files) {
        final List<HadoopDaemon> daemons = new ArrayList<>();
        for (final Path folder : HostFiles.list(files.at("/proc"))) {
            final String name = folder.getFileName().toString();
            if (name.matches("\\d{1,18}")) {
                kind(folder)
                        .ifPresent(
                                kind -> daemons.add(new HadoopDaemon(Long.parseLong(name), kind)));
            }
        }
        return daemons;
    }

    private static Optional<Kind> kind(final Path folder) {
        try {
            final List<String> words =
                    List.of(
                            Files.readString(folder.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                                    .split("\0", -1));
            return Arrays.stream(Kind.values())
                    .filter(kind -> words.contains(kind.main))
                    .findFirst();
        } catch (final IOException e) {
            return Optional.empty(); // it has ended
        }
    }

    /** Its limit of a kind, such as {@code Max open files}; the largest number for unlimited. */
    Optional<Long> limit(final HostFiles files, final String name) {
        return ProcessLimits.of(files, String.valueOf(pid), name);
    }

    /** The folder of its Java; nothing where it is another user's. */
    Optional<Path> javaHome(final HostFiles files) {
        try {
            final Path java = Files.readSymbolicLink(files.at("/proc/" + pid + "/exe"));
            return Optional.ofNullable(java.getParent()).map(Path::getParent);
        } catch (final IOException | UnsupportedOperationException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return kind.label + " " + pid;
    }
}
