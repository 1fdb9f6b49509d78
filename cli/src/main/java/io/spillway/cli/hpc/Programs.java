// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the batch system's programs to their end. */
final class Programs {
    private static final int PATIENCE_SECONDS = 60;
    private static final System.Logger LOG = System.getLogger(Programs.class.getName());

    private Programs() {}

    /**
     * What a program prints, its errors among it.
     *
     * @throws CommandException with that, where it fails or takes longer than a minute
     */
    static List<String> lines(final List<String> command) {
        try {
            final Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectInput(
                                    ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                            .start();
            final String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new CommandException(command.get(0) + " does not end: " + text.trim());
            }
            if (process.exitValue() != 0) {
                throw new CommandException(
                        String.join(" ", command)
                                + " ended with code "
                                + process.exitValue()
                                + ": "
                                + text.trim());
            }
            return text.lines().toList();
        } catch (final IOException e) {
            throw new CommandException("cannot run " + command.get(0) + ": " + e.getMessage(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }

    /** Runs a program and ignores its failure, so that a lost host does not stop the others. */
    static void attempt(final List<String> command) {
        try {
            lines(command);
        } catch (final CommandException e) {
            LOG.log(System.Logger.Level.DEBUG, "a command on a host failed", e);
        }
    }
}
