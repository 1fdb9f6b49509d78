// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.pool.FolderStatus.Overflow;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts how often a {@link FilePool} had no room for a task. Tasks count and the node reads: the
 * counts are the name of an empty file, {@code overflows-LIMIT-RESERVE}, which a rename changes and
 * which takes no room itself. They begin anew with the folder.
 */
final class FolderOverflows {
    private static final Logger LOG = LoggerFactory.getLogger(FolderOverflows.class);

    private static final String PREFIX = "overflows-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d{1,18})-(\\d{1,18})");

    /** A listing may miss a file that is renamed meanwhile. */
    private static final int LOOKS = 3;

    private final Path root;

    FolderOverflows(final Path root) {
        this.root = root;
    }

    /** Counts one; with the folder's lock. What cannot be counted does not keep a task. */
    void add(final Overflow cause) {
        try {
            final Optional<Path> file = file();
            final Map<Overflow, Long> counts = counts(file);
            counts.merge(cause, 1L, Long::sum);
            final Path next =
                    root.resolve(
                            PREFIX
                                    + counts.get(Overflow.LIMIT)
                                    + "-"
                                    + counts.get(Overflow.RESERVE));
            if (file.isPresent()) {
                Files.move(file.get(), next);
            } else {
                Files.createFile(next);
            }
        } catch (final IOException e) {
            LOG.debug("An overflow of {} is not counted", root, e);
        }
    }

    /** All counts; 0 where there was none. */
    Map<Overflow, Long> counts() throws IOException {
        Optional<Path> file = Optional.empty();
        for (int look = 0; look < LOOKS && file.isEmpty(); look++) {
            file = file();
        }
        return counts(file);
    }

    private static Map<Overflow, Long> counts(final Optional<Path> file) {
        final Map<Overflow, Long> counts = new EnumMap<>(Overflow.class);
        final Matcher name = NAME.matcher(file.map(f -> f.getFileName().toString()).orElse(""));
        final boolean found = name.matches();
        counts.put(Overflow.LIMIT, found ? Long.parseLong(name.group(1)) : 0);
        counts.put(Overflow.RESERVE, found ? Long.parseLong(name.group(2)) : 0);
        return counts;
    }

    private Optional<Path> file() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(root, PREFIX + "*")) {
            for (final Path file : files) {
                if (NAME.matcher(file.getFileName().toString()).matches()) {
                    return Optional.of(file);
                }
            }
        } catch (final NoSuchFileException e) {
            LOG.trace("{} is gone", root, e);
        }
        return Optional.empty();
    }

    /** Forgets all. */
    void delete() throws IOException {
        final Optional<Path> file = file();
        if (file.isPresent()) {
            Files.deleteIfExists(file.get());
        }
    }
}
