// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import io.spillway.host.PrivateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The user's own folder for libraries that were compiled. What it holds is loaded into the process,
 * so it must be the user's, and no other may write there. Immutable.
 */
final class ShimCache {
    private final Path root;

    private ShimCache(final Path root) {
        this.root = root;
    }

    /** As the XDG Base Directory Specification has it. */
    static ShimCache of(final Map<String, String> environment, final Path home) {
        final String set = environment.getOrDefault("XDG_CACHE_HOME", "");
        final Path base = set.startsWith("/") ? Path.of(set) : home.resolve(".cache");
        return new ShimCache(base.resolve("spillway"));
    }

    /**
     * A folder of this name, made if it is not there.
     *
     * @throws IOException if it cannot be made, or another user may write there
     */
    Path folder(final String name) throws IOException {
        final Path all = root.resolve("mpi");
        final Path folder = all.resolve(name);
        try {
            Files.createDirectories(root.getParent());
            PrivateDirectory.create(root);
            PrivateDirectory.create(all);
            PrivateDirectory.create(folder);
        } catch (final IOException e) {
            throw new IOException(
                    "no place for the native library ("
                            + e
                            + "): set XDG_CACHE_HOME to a directory that this user alone can write",
                    e);
        }
        return folder;
    }

    /** Deletes a folder and what is in it. */
    static void delete(final Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            paths.sorted(Comparator.reverseOrder()).forEach(ShimCache::deleteOne);
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void deleteOne(final Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
