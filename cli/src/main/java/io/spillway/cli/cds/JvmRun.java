// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A JVM that ran to its end.
 *
 * @param exitCode its exit code
 * @param text what it printed on both streams
 */
record JvmRun(int exitCode, String text) {
    /** Runs a command that prints little. */
    static JvmRun quick(final List<String> command) {
        return run(command, Map.of());
    }

    /**
     * Runs a command to its end.
     *
     * @param environment beside this process's
     */
    static JvmRun run(final List<String> command, final Map<String, String> environment) {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        // These options would be reported on the streams, and change the JVM.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        try {
            final Process process = builder.start();
            try {
                final byte[] output = process.getInputStream().readAllBytes();
                return new JvmRun(process.waitFor(), new String(output, StandardCharsets.UTF_8));
            } finally {
                process.destroy();
            }
        } catch (final IOException e) {
            throw new CommandException("cannot run " + command.get(0) + ": " + e.getMessage(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }

    boolean succeeded() {
        return exitCode == 0;
    }

    /** The lines that say something, as one. */
    String line() {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
    }
}
