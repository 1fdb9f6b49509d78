// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a {@link FilePool} without an owner. Their names are {@code UUID+LENGTH}, so that a
 * task compares lengths without reading the attributes of each file. Callers hold the folder's
 * lock, except for {@link #drain}.
 */
final class PooledFiles {
    private static final Logger LOG = LoggerFactory.getLogger(PooledFiles.class);

    /** A shorter file costs more to find than its pages cost to touch. */
    private static final long MIN_LENGTH = 64 << 10;

    /** Where a file is while it is cut: no longer anybody's to take. */
    private static final String CUT = "cut";

    private static final char LENGTH = '+';

    private final Path directory;

    PooledFiles(final Path directory) {
        this.directory = directory;
    }

    private record Sized(Path path, long length) {}

    private static String nameOf(final long length) {
        return UUID.randomUUID().toString() + LENGTH + length;
    }

    /** All files of the pool, in no order. */
    private List<Sized> list() throws IOException {
        final List<Sized> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (final Path entry : entries) {
                final long length = lengthInName(entry);
                if (length >= 0) {
                    files.add(new Sized(entry, length));
                } else if (Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
                    files.add(new Sized(entry, lengthOf(entry)));
                }
            }
        }
        return files;
    }

    /** The length in a file's name; -1 where it has none: older versions put such files here. */
    private static long lengthInName(final Path file) {
        final String name = file.getFileName().toString();
        final int start = name.indexOf(LENGTH) + 1;
        if (start == 0) {
            return -1;
        }
        try {
            return Long.parseLong(name, start, name.length(), 10);
        } catch (final NumberFormatException e) {
            return -1;
        }
    }

    /** The length of a file in bytes; 0 where there is none. */
    static long lengthOf(final Path path) {
        try {
            return Files.size(path);
        } catch (final IOException e) {
            return 0;
        }
    }

    /**
     * Moves the file that fits best to {@code target}: the shortest of {@code length} bytes to
     * twice as many, else the longest of the shorter ones, for growing costs least there.
     *
     * @param cut whether a longer file than twice may be cut, where there is no other
     * @return the length that it had in the pool; nothing where there was none
     * @throws IOException when the pool or the target's directory is gone
     */
    OptionalLong take(final long length, final boolean cut, final Path target) throws IOException {
        while (true) {
            final Optional<Sized> best = best(list(), length, cut);
            if (best.isEmpty()) {
                return OptionalLong.empty();
            }
            if (move(best.get().path(), target)) {
                final long had = lengthOf(target);
                if (had > 2 * length) {
                    truncate(target, length);
                }
                return OptionalLong.of(had);
            }
        }
    }

    private static Optional<Sized> best(
            final List<Sized> files, final long length, final boolean cut) {
        Sized above = null;
        Sized below = null;
        for (final Sized file : files) {
            if (file.length() < length) {
                below = below == null || file.length() > below.length() ? file : below;
            } else {
                above = above == null || file.length() < above.length() ? file : above;
            }
        }
        if (above != null && (above.length() <= 2 * length || (below == null && cut))) {
            return Optional.of(above);
        }
        return Optional.ofNullable(below);
    }

    /**
     * Moves a file.
     *
     * @return false when it is gone: someone else took it first
     * @throws IOException when it is there and cannot be moved; as when the target's directory is
     *     gone, for which the system gives the same error
     */
    static boolean move(final Path from, final Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (final NoSuchFileException e) {
            if (Files.exists(from, LinkOption.NOFOLLOW_LINKS) || !hasDirectory(to)) {
                throw new NoSuchFileException(to.toString(), null, "its directory is gone");
            }
            LOG.debug("{} was taken by someone else", from, e);
            return false;
        }
    }

    private static boolean hasDirectory(final Path file) {
        return Files.isDirectory(file.getParent());
    }

    private static void truncate(final Path file, final long length) throws IOException {
        try (RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw")) {
            data.setLength(Math.min(data.length(), FolderUsage.pages(length)));
        }
    }

    /**
     * Puts a file into the pool; deletes one that is of no use there, or when there is no pool.
     *
     * @return the length of the file in bytes; 0 where it was deleted
     */
    long put(final Path file) throws IOException {
        final long length = lengthOf(file);
        if (length < MIN_LENGTH || !Files.isDirectory(directory)) {
            Files.deleteIfExists(file);
            return 0;
        }
        return move(file, directory.resolve(nameOf(length))) ? length : 0;
    }

    /**
     * Frees bytes: the longest files become shorter or go.
     *
     * @return the bytes freed, in whole pages; less than {@code bytes} when the pool has no more
     */
    long free(final long bytes) throws IOException {
        final List<Sized> longestFirst = list();
        longestFirst.sort(Comparator.comparingLong(Sized::length).reversed());
        long freed = 0;
        for (final Sized file : longestFirst) {
            if (freed >= bytes) {
                break;
            }
            freed += cut(file.path(), bytes - freed);
        }
        return freed;
    }

    private long cut(final Path file, final long bytes) throws IOException {
        final long length = lengthOf(file);
        final long before = FolderUsage.pages(length);
        final long left = (length - bytes) / MIN_LENGTH * MIN_LENGTH;
        if (left < MIN_LENGTH) {
            return Files.deleteIfExists(file) ? before : 0;
        }
        final Path claimed = directory.resolveSibling(CUT);
        if (!move(file, claimed)) {
            return 0;
        }
        truncate(claimed, left);
        move(claimed, directory.resolve(nameOf(left)));
        return before - left;
    }

    /** Deletes all files and the pool: what is given back from now on is deleted. */
    void drain() throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        for (final Sized file : list()) {
            Files.deleteIfExists(file.path());
        }
        Files.deleteIfExists(directory.resolveSibling(CUT));
        Files.deleteIfExists(directory);
    }
}
