// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The command {@code hadoop} of an installation. Immutable.
 *
 * @param folder what {@code HADOOP_HOME} names; empty for the command on the PATH
 */
public record HadoopCommand(Optional<Path> folder) {
    /** What {@code HADOOP_HOME} of an environment names. */
    public static HadoopCommand of(final Map<String, String> environment) {
        return new HadoopCommand(folder(environment, "HADOOP_HOME"));
    }

    static Optional<Path> folder(final Map<String, String> environment, final String variable) {
        final String value = environment.get(variable);
        return value == null || value.isBlank() ? Optional.empty() : Optional.of(Path.of(value));
    }

    /**
     * What {@code hadoop classpath} prints, entry by entry.
     *
     * @param environment added to that of this process
     * @throws BadInputException when there is no such command, or it fails
     */
    public List<String> classPath(final Map<String, String> environment) {
        final String command =
                folder.map(path -> path.resolve("bin/hadoop").toString()).orElse("hadoop");
        try {
            final ProcessBuilder builder = new ProcessBuilder(command, "classpath");
            builder.environment().putAll(environment);
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            final Process process = builder.start();
            final String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0 || text.isBlank()) {
                throw new BadInputException("'" + command + " classpath' fails");
            }
            return List.of(text.trim().split(":", -1));
        } catch (final IOException e) {
            throw new BadInputException(
                    "cannot run '"
                            + command
                            + " classpath' ("
                            + e.getMessage()
                            + "): set HADOOP_HOME, or put hadoop on the PATH");
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }
}
