package io.spillway.transport.mpi.library;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The user's own folder for libraries that were compiled. What it holds is loaded into the process,
 * so it must be the user's, and no other may write there. Immutable.
 */
final class ShimCache {
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");
    private static final Path SELF = Path.of("/proc/self");

    private final Path root;

    private ShimCache(final Path root) {
        this.root = root;
    }

    /** As the XDG Base Directory Specification has it. */
    static ShimCache of(final Map<String, String> environment, final Path home) {
        final String set = environment.getOrDefault("XDG_CACHE_HOME", "");
        final Path base = set.startsWith("/") ? Path.of(set) : home.resolve(".cache");
        return new ShimCache(base.resolve("spillway").resolve("mpi"));
    }

    /**
     * A folder of this name, made if it is not there.
     *
     * @throws IOException if it cannot be made, or another user may write there
     */
    Path folder(final String name) throws IOException {
        final Path folder = root.resolve(name);
        try {
            Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (final IOException e) {
            throw new IOException(
                    folder
                            + " cannot be made ("
                            + e
                            + "): set XDG_CACHE_HOME to a directory that can be written",
                    e);
        }
        for (final Path each : List.of(root, folder)) {
            checkOwner(each);
        }
        return folder;
    }

    private static void checkOwner(final Path folder) throws IOException {
        final PosixFileAttributes found =
                Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        final Set<PosixFilePermission> permissions = found.permissions();
        final boolean isOurs =
                found.isDirectory()
                        && found.owner().equals(Files.getOwner(SELF))
                        && !permissions.contains(PosixFilePermission.GROUP_WRITE)
                        && !permissions.contains(PosixFilePermission.OTHERS_WRITE);
        if (!isOurs) {
            throw new IOException(
                    folder
                            + " is of "
                            + found.owner().getName()
                            + ", "
                            + PosixFilePermissions.toString(permissions)
                            + ": expected a directory of this user that no other can write;"
                            + " remove it or set XDG_CACHE_HOME");
        }
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
