// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster.daemon;

import io.spillway.cli.site.JavaCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a daemon. Immutable.
 *
 * @param role what it is
 * @param options of its JVM; they win over the role's
 * @param classPath of its JVM, the configuration folder first
 * @param arguments of its main class
 */
public record DaemonCommand(
        DaemonRole role, List<String> options, List<String> classPath, List<String> arguments) {
    /** Copies the lists. */
    public DaemonCommand {
        options = List.copyOf(options);
        classPath = List.copyOf(classPath);
        arguments = List.copyOf(arguments);
    }

    /**
     * The words of the command.
     *
     * @param temporary where the daemon unpacks web pages and libraries
     */
    public List<String> line(final Path temporary) {
        final List<String> line = new ArrayList<>(List.of(JavaCommand.path()));
        line.addAll(role.jvmOptions());
        line.addAll(options);
        line.add("-Djava.io.tmpdir=" + temporary);
        line.addAll(List.of("-cp", String.join(":", classPath), role.mainClass()));
        line.addAll(arguments);
        return line;
    }
}
