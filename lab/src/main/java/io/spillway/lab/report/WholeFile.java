// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.report;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files of results that are whole at any time, also when the process is killed. */
public final class WholeFile {
    private WholeFile() {}

    /** Replaces what a file holds; makes its folder where there is none. */
    public static void write(final Path file, final String text) {
        final Path partial = file.resolveSibling(file.getFileName() + ".partial");
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(partial, text);
            Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (final IOException e) {
            throw new CommandException("cannot write " + file + ": " + e, e);
        }
    }
}
