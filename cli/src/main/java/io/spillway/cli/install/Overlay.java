// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/** A complete configuration folder: a copy of the cluster's, with the changes. */
final class Overlay {
    private Overlay() {}

    /**
     * Writes it.
     *
     * @throws BadInputException where {@code target} is not empty, or lies within the original
     */
    static void write(final InstallPlan plan, final Path target) throws IOException {
        if (Files.exists(target) && !isEmptyFolder(target)) {
            throw new BadInputException("--overlay " + target + ": expected an empty folder");
        }
        final Path source = plan.folder().toRealPath();
        if (target.toAbsolutePath().normalize().startsWith(source)) {
            throw new BadInputException(
                    "--overlay " + target + ": expected a folder outside " + source);
        }
        try (Stream<Path> tree = Files.walk(source, FileVisitOption.FOLLOW_LINKS)) {
            for (final Path path : tree.toList()) {
                final Path copy = target.resolve(source.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(path, copy, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        for (final SiteChange change : plan.changes()) {
            AppliedInstall.replace(target.resolve(change.file().getFileName()), change.after());
        }
    }

    private static boolean isEmptyFolder(final Path target) throws IOException {
        if (!Files.isDirectory(target)) {
            return false;
        }
        try (Stream<Path> files = Files.list(target)) {
            return files.findAny().isEmpty();
        }
    }
}
