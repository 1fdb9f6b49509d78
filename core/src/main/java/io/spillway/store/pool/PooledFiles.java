package io.spillway.store.pool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a {@link FilePool} without an owner. Callers hold the folder's lock, except for
 * {@link #drain}.
 */
final class PooledFiles {
    private static final Logger LOG = LoggerFactory.getLogger(PooledFiles.class);

    /** A shorter file costs more to find than its pages cost to touch. */
    private static final long MIN_LENGTH = 64 << 10;

    /** Where a file is while it is cut: no longer anybody's to take. */
    private static final String CUT = "cut";

    private final Path directory;

    PooledFiles(final Path directory) {
        this.directory = directory;
    }

    private record Sized(Path path, long length) {}

    /** The longest first; only files, whatever else may lie there. */
    private List<Sized> list() throws IOException {
        final List<Sized> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (final Path entry : entries) {
                if (Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
                    files.add(new Sized(entry, lengthOf(entry)));
                }
            }
        }
        files.sort(Comparator.comparingLong(Sized::length).reversed());
        return files;
    }

    private static long lengthOf(final Path path) {
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
     * @return whether there was one
     * @throws IOException when the pool or the target's directory is gone
     */
    boolean take(final long length, final boolean cut, final Path target) throws IOException {
        while (true) {
            final Optional<Sized> best = best(list(), length, cut);
            if (best.isEmpty()) {
                return false;
            }
            if (move(best.get().path(), target)) {
                if (best.get().length() > 2 * length) {
                    truncate(target, length);
                }
                return true;
            }
        }
    }

    private static Optional<Sized> best(
            final List<Sized> longestFirst, final long length, final boolean cut) {
        Sized above = null;
        for (final Sized file : longestFirst) {
            if (file.length() >= length) {
                above = file;
            } else if (above == null || above.length() > 2 * length) {
                return Optional.of(file);
            }
        }
        return Optional.ofNullable(above).filter(file -> cut || file.length() <= 2 * length);
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
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(FolderUsage.pages(length));
        }
    }

    /** Puts a file into the pool; deletes one that is of no use there, or when there is no pool. */
    void put(final Path file) throws IOException {
        if (lengthOf(file) < MIN_LENGTH || !Files.isDirectory(directory)) {
            Files.deleteIfExists(file);
            return;
        }
        move(file, directory.resolve(UUID.randomUUID().toString()));
    }

    /**
     * Frees bytes: the longest files become shorter or go.
     *
     * @return the bytes freed, in whole pages; less than {@code bytes} when the pool has no more
     */
    long free(final long bytes) throws IOException {
        long freed = 0;
        for (final Sized file : list()) {
            if (freed >= bytes) {
                break;
            }
            freed += cut(file, bytes - freed);
        }
        return freed;
    }

    private long cut(final Sized file, final long bytes) throws IOException {
        final long before = FolderUsage.pages(file.length());
        final long left = (file.length() - bytes) / MIN_LENGTH * MIN_LENGTH;
        if (left < MIN_LENGTH) {
            return Files.deleteIfExists(file.path()) ? before : 0;
        }
        final Path claimed = directory.resolveSibling(CUT);
        if (!move(file.path(), claimed)) {
            return 0;
        }
        truncate(claimed, left);
        move(claimed, file.path());
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
