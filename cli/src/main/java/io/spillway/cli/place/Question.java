// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.place;

import io.spillway.cli.failure.CommandException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Asks on a terminal whether to go on, unless that was said already. */
public final class Question {
    /** Set by the script when a person can read a question and answer it. */
    public static final String ASK_PROPERTY = "spillway.ask";

    @Option(
            names = "--yes",
            description = "Does not ask before it submits to an installed cluster.")
    private boolean yes;

    /**
     * Asks.
     *
     * @param what is about to be submitted
     * @throws CommandException when the answer is no
     */
    public void ask(final String what) {
        if (yes || !Boolean.getBoolean(ASK_PROPERTY)) {
            return;
        }
        System.err.print(what + ". Go on? [y/N] ");
        System.err.flush();
        if (!answer().toLowerCase(Locale.ROOT).startsWith("y")) {
            throw new CommandException("nothing was submitted; --yes does not ask");
        }
    }

    private static String answer() {
        final BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            final String line = lines.readLine();
            return line == null ? "" : line.trim();
        } catch (final IOException e) {
            return ""; // the terminal is gone
        }
    }
}
