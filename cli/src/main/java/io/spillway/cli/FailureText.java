// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.WorkOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import picocli.CommandLine;

/** Says in one line what went wrong; where that is not enough, the line names a file with more. */
final class FailureText {
    private static final String LOG = "errors.log";

    private final PrintWriter err;
    private final boolean verbose;

    FailureText(final PrintWriter err, final boolean verbose) {
        this.err = err;
        this.verbose = verbose;
    }

    /** Prints a failure, and gives the exit code. */
    int explain(final Exception failure) {
        if (failure instanceof CommandException known) {
            err.println("spillway: " + known.getMessage());
            if (verbose) {
                known.printStackTrace(err);
            }
            err.flush();
            return known.exitCode();
        }
        final String trace = trace(failure);
        err.println("spillway: unexpected: " + failure + "; " + more(trace));
        if (verbose) {
            err.println(trace);
        }
        err.flush();
        return CommandLine.ExitCode.SOFTWARE;
    }

    private static String trace(final Exception failure) {
        final StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    private static String more(final String trace) {
        try {
            final Path log = new WorkOptions().folder().root().resolve(LOG);
            Files.createDirectories(log.getParent());
            Files.writeString(
                    log,
                    Instant.now() + "\n" + trace + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
            return "details: " + log;
        } catch (final IOException | CommandException e) {
            return "--verbose shows details";
        }
    }
}
