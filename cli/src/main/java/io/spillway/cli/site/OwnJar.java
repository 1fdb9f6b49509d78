// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.CommandException;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** Tells where this build's classes lie. */
public final class OwnJar {
    private OwnJar() {}

    /** The jar, or the folder, that holds a class. */
    public static Path of(final Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (final URISyntaxException e) {
            throw new CommandException("cannot tell where " + type + " lies", e);
        }
    }
}
