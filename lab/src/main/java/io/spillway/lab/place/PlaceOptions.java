// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import io.spillway.cli.failure.CommandException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Where the jobs of a command run. */
public final class PlaceOptions {
    /** A choice of the place. */
    public enum Place {
        /** The installed cluster where the environment names one, else a local one. */
        AUTO,
        /** A cluster of this machine's processes. */
        LOCAL,
        /** The cluster that HADOOP_HOME or HADOOP_CONF_DIR names. */
        INSTALLED
    }

    /** Set by the script when a person can read a question and answer it. */
    public static final String ASK_PROPERTY = "spillway.ask";

    @Option(
            names = "--on",
            paramLabel = "PLACE",
            defaultValue = "auto",
            description =
                    "Where the jobs run: local, a cluster on this machine; installed, the one that"
                            + " HADOOP_HOME or HADOOP_CONF_DIR names; auto: installed where one is"
                            + " named, else local (default: ${DEFAULT-VALUE}).")
    private Place place;

    @Option(
            names = "--yes",
            description = "Does not ask before it submits to an installed cluster.")
    private boolean yes;

    public Place place() {
        return place;
    }

    /**
     * Asks on a terminal whether to go on with an installed cluster, unless that was said already.
     *
     * @param what is about to be submitted
     * @throws CommandException when the answer is no
     */
    public void confirm(final String what) {
        if (yes || place == Place.INSTALLED || !Boolean.getBoolean(ASK_PROPERTY)) {
            return;
        }
        System.err.print(what + ". Go on? [y/N] ");
        System.err.flush();
        if (!answer().toLowerCase(Locale.ROOT).startsWith("y")) {
            throw new CommandException(
                    "nothing was submitted; --on local runs on this machine, --yes does not ask");
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
