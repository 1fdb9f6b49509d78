// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import io.spillway.cli.failure.CommandException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The build of a JDK. Archives are of one build, not of one version.
 *
 * @param version as {@code 17.0.15+6}, in characters for file names
 * @param identity all that the JVM says of its build, in one line
 */
record JavaBuild(String version, String identity) {
    private static final Pattern VERSION = Pattern.compile("VM \\(([^)]+)\\)");

    /** The build of a java command. */
    static JavaBuild of(final Path java) {
        final JvmRun run = JvmRun.quick(List.of(java.toString(), "-Xinternalversion"));
        if (!run.succeeded()) {
            throw new CommandException(java + " does not run: " + run.text());
        }
        return parse(run.text());
    }

    static JavaBuild parse(final String text) {
        final Matcher version = VERSION.matcher(text);
        if (!version.find()) {
            throw new CommandException("cannot tell the build of a JDK that says: " + text);
        }
        return new JavaBuild(version.group(1).replaceAll("[^A-Za-z0-9.+_-]", "-"), text.strip());
    }
}
