// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/**
 * Hadoop's LinuxContainerExecutor with a script in place of its setuid program, for NodeManagers
 * that are root without the privilege to read what file modes do not let it read: as any user, they
 * depend on the group of the tasks' files.
 */
final class ContainerExecutor {
    /** What goes before a command that is to run as root without that privilege. */
    static final List<String> AS_ANY_USER =
            List.of("/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search");

    private static final String LINUX = "yarn.nodemanager.linux-container-executor.";

    private ContainerExecutor() {}

    /**
     * Properties of NodeManagers.
     *
     * @param folder for the script
     */
    static Map<String, String> properties(final Path folder) throws IOException {
        return Map.of(
                "yarn.nodemanager.container-executor.class",
                "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
                LINUX + "path",
                writeScript(folder).toString(),
                LINUX + "group",
                "root",
                // Where Kerberos is off, tasks would else be of one user for all jobs.
                LINUX + "nonsecure-mode.limit-users",
                "false");
    }

    private static Path writeScript(final Path folder) throws IOException {
        final Path file = folder.resolve("container-executor");
        try (InputStream in = ContainerExecutor.class.getResourceAsStream("container-executor")) {
            Files.copy(in, file);
        }
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
