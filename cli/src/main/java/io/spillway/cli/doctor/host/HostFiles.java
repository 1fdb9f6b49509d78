// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files in which a system describes itself: those below /proc, /sys, /etc and so on. Immutable.
 *
 * @param root what stands for {@code /}
 */
public record HostFiles(Path root) {
    /** Those of this host. */
    public static HostFiles ofThisHost() {
        return new HostFiles(Path.of("/"));
    }

    /** A file or folder of an absolute path. */
    public Path at(final String path) {
        return root.resolve(path.replaceFirst("^/+", ""));
    }

    /** A file's text, without blanks at its end; nothing where it cannot be read. */
    public Optional<String> text(final String path) {
        try {
            return Optional.of(Files.readString(at(path)).strip());
        } catch (final IOException e) {
            return Optional.empty();
        }
    }

    /** A file's lines; none where it cannot be read. */
    public List<String> lines(final String path) {
        return text(path).map(text -> text.lines().toList()).orElse(List.of());
    }

    /** A file's number; nothing where it has none. */
    public Optional<Long> number(final String path) {
        return text(path).filter(text -> text.matches("\\d{1,18}")).map(Long::valueOf);
    }

    /** What a folder holds, in the order of names; nothing where it cannot be read. */
    public static List<Path> list(final Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (final IOException e) {
            return List.of();
        }
    }
}
