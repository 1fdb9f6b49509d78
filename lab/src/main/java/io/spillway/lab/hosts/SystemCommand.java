// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Runs a short command of the system to its end. */
public final class SystemCommand {
    private static final System.Logger LOG = System.getLogger(SystemCommand.class.getName());

    private SystemCommand() {}

    /**
     * Runs a command that has to end well.
     *
     * @param input its standard input
     * @throws CommandException that quotes what it printed
     */
    public static void run(final List<String> command, final String input) {
        attempt(command, input)
                .ifPresent(
                        failure -> {
                            throw new CommandException(String.join(" ", command) + ": " + failure);
                        });
    }

    /** What a command that fails has printed; nothing where it ends well. */
    static Optional<String> attempt(final List<String> command, final String input) {
        try {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            feed(process, input);
            final String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            final int code = process.waitFor();
            return code == 0 ? Optional.empty() : Optional.of(oneLine(output, code));
        } catch (final IOException e) {
            return Optional.of(e.getMessage());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }

    private static void feed(final Process process, final String input) {
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (final IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "it has ended; what it printed tells why", e);
        }
    }

    private static String oneLine(final String output, final int code) {
        return output.isBlank()
                ? "exit code " + code
                : output.strip().replaceAll("\\s*\n\\s*", " ");
    }
}
