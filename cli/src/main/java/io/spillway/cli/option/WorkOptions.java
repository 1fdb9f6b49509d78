// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.WorkFolder;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where everything is kept. */
public final class WorkOptions {
    /** Set by the script: the checkout we run from. */
    public static final String ROOT_PROPERTY = "spillway.root";

    @Option(
            names = "--work",
            paramLabel = "DIR",
            description =
                    "Folder for Hadoop's jars, clusters and reports (default: SPILLWAY_HOME, else"
                            + " .spillway beside the command, or in your home folder where it is"
                            + " not yours to write there).")
    private Path work;

    public WorkFolder folder() {
        return new WorkFolder(work == null ? defaultFolder() : work, repository());
    }

    public static Path repository() {
        final String root = System.getProperty(ROOT_PROPERTY);
        if (root == null) {
            throw new CommandException(
                    "-D" + ROOT_PROPERTY + " is not set: start Spillway by ./spillway");
        }
        return Path.of(root);
    }

    private static Path defaultFolder() {
        final String home = System.getenv("SPILLWAY_HOME");
        return home == null || home.isBlank() ? repository().resolve(".spillway") : Path.of(home);
    }
}
