// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.option.ShellWord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The command line that goes on with a command that was stopped, as a shell takes it. */
final class ResumeLine {
    private static final String OUT = "--out";
    private static final String RESUME = "--resume";

    private final List<String> arguments;

    /** For the command that runs. */
    ResumeLine(final CommandSpec command) {
        this(command.root().commandLine().getParseResult().originalArgs());
    }

    ResumeLine(final List<String> arguments) {
        this.arguments = List.copyOf(arguments);
    }

    /** The line with the results named. */
    String with(final Path results) {
        final List<String> words = new ArrayList<>(List.of("./spillway"));
        final Iterator<String> given = arguments.iterator();
        while (given.hasNext()) {
            final String word = given.next();
            if (word.equals(OUT)) {
                given.next();
            } else if (!word.startsWith(OUT + "=") && !word.equals(RESUME)) {
                words.add(word);
            }
        }
        words.addAll(List.of(OUT, results.toString(), RESUME));
        return ShellWord.line(words);
    }
}
