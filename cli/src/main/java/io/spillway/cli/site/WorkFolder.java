// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The folder that everything is kept in: Hadoop's jars, clusters, reports. Deleting it loses
 * nothing that cannot be made again.
 *
 * @param root the folder itself
 * @param repository the checkout of Spillway, where Hadoop's runtime pom lies
 */
public record WorkFolder(Path root, Path repository) {
    /** Makes both paths absolute. */
    public WorkFolder {
        root = Objects.requireNonNull(root).toAbsolutePath().normalize();
        repository = Objects.requireNonNull(repository).toAbsolutePath().normalize();
    }

    /** The jars of one Hadoop release. */
    public Path hadoop(final String version) {
        return root.resolve("hadoop-" + version);
    }

    /** The folder of all clusters. */
    public Path clusters() {
        return root.resolve("clusters");
    }

    /** The folder of one cluster. */
    public Path cluster(final String name) {
        return clusters().resolve(name);
    }

    /** Where the shuffle reports of finished jobs are kept. */
    public Path reports() {
        return root.resolve("reports");
    }

    /** Where archives of class data are kept. */
    public Path classData() {
        return root.resolve("cds");
    }

    /** What a node process that the command has started needs and writes. */
    public Path node() {
        return root.resolve("node");
    }

    /** Deletes a folder and all it holds; does nothing where it is not there. */
    public static void deleteTree(final Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(folder)) {
            for (final Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    /**
     * Checks that a file system has room.
     *
     * @param needed bytes
     * @param purpose what for, in words
     * @throws BadInputException when it has not
     */
    public static void requireSpace(final Path folder, final long needed, final String purpose) {
        try {
            Files.createDirectories(folder);
            final long free = Files.getFileStore(folder).getUsableSpace();
            if (free < needed) {
                throw new BadInputException(
                        String.format(
                                Locale.ROOT,
                                "%s needs about %.1f GB in %s, which has %.1f GB free; take a"
                                        + " smaller --size or another --work folder",
                                purpose,
                                needed / 1e9,
                                folder,
                                free / 1e9));
            }
        } catch (final IOException e) {
            throw new CommandException("cannot use the work folder " + folder + ": " + e, e);
        }
    }
}
