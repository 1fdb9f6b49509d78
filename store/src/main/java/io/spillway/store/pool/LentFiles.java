// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.FreeSpace;
import io.spillway.store.StoreFullException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The files that the owner of a {@link FilePool} keeps for one task attempt of another user. The
 * task cannot enter the folder: it gets descriptors, and writes through them. So it could go on
 * writing to a file, or read it, for as long as it lives: a file that was lent is deleted and never
 * used again, and a file that was used before is never lent. Thread-safe.
 */
public final class LentFiles implements Closeable {
    /** A map that leaves its spills as runs has 1024 at most. */
    private static final int MOST_FILES = 4096;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rw-------");

    /** Group, too: the task's user may be in that of the file. */
    private static final Set<PosixFilePermission> ANYBODY =
            PosixFilePermissions.fromString("rw-rw-rw-");

    private final FolderSpace space;
    private final Path own;
    private final FreeSpace room;
    private final PathLock lock;
    private final Map<String, Path> files = new HashMap<>();
    private long kept;
    private boolean isCommitted;
    private boolean isClosed;

    LentFiles(final FolderSpace space, final Path own, final FreeSpace room) throws IOException {
        this.space = space;
        this.own = own;
        this.room = room;
        this.lock = PathLock.take(own.resolve(FileLease.LOCK), FileLease.PATIENCE);
    }

    /** The bytes that a lent file counts with, in whole pages. */
    static long bytesOf(final Path file) {
        return FolderUsage.pages(LeasedName.lent(file));
    }

    /** The bytes of all files, kept ones included. */
    public synchronized long bytes() {
        return kept + files.values().stream().mapToLong(LentFiles::bytesOf).sum();
    }

    /**
     * Makes an empty file. Until {@link #shut} whoever gets a descriptor of it can open it once
     * more, for reading and writing; no path leads to it.
     *
     * @param expectedBytes that are granted to it
     * @throws StoreFullException when there is no room for that much
     */
    public synchronized Path open(final String name, final long expectedBytes) throws IOException {
        requireOpen();
        if (!NAME.matcher(name).matches() || files.containsKey(name) || expectedBytes < 0) {
            throw new IOException(
                    "file="
                            + name
                            + " of "
                            + expectedBytes
                            + " bytes, expected a new name of letters, digits and . _ -");
        }
        if (files.size() >= MOST_FILES) {
            throw new IOException("files=" + files.size() + ", expected no more than that");
        }
        final Path path = space.lend(own, name, expectedBytes, room);
        files.put(name, path);
        Files.setPosixFilePermissions(path, ANYBODY);
        return path;
    }

    private void requireOpen() throws IOException {
        if (isClosed || isCommitted) {
            throw new IOException(own + " takes no more files: the attempt has committed or ended");
        }
    }

    private Path require(final String name) throws IOException {
        final Path path = files.get(name);
        if (path == null) {
            throw new IOException(
                    "file=" + name + ", expected one that was opened and is not kept");
        }
        return path;
    }

    /** The task has its descriptor: from now on only the owner can open the file. */
    public synchronized void shut(final String name) throws IOException {
        Files.setPosixFilePermissions(require(name), OWNER_ONLY);
    }

    /**
     * Lets a file become longer.
     *
     * @param length more than was granted so far
     * @return the bytes that are granted now
     * @throws StoreFullException when there is no room for that much
     */
    public synchronized long grow(final String name, final long length) throws IOException {
        final Path path = requireWriting(name, length);
        if (length <= LeasedName.granted(path)) {
            return LeasedName.granted(path);
        }
        final Path grown = space.grow(path, name, length, room);
        files.put(name, grown);
        return LeasedName.granted(grown);
    }

    /** The bytes that are granted to a file, 0 where there is none that is being written. */
    public synchronized long grantedTo(final String name) {
        final Path path = files.get(name);
        return path == null ? 0 : LeasedName.granted(path);
    }

    private Path requireWriting(final String name, final long length) throws IOException {
        requireOpen();
        final Path path = require(name);
        if (!path.getFileName()
                        .toString()
                        .equals(LeasedName.lentWriting(name, LeasedName.granted(path)))
                || length < 0) {
            throw new IOException(
                    "file=" + name + " length=" + length + ", expected one that is being written");
        }
        return path;
    }

    /**
     * Ends the writing of a file, and cuts what it has beyond.
     *
     * @return where the file is now
     * @throws IOException when the file has not so many bytes, or may not have them
     */
    public synchronized Path complete(final String name, final long length) throws IOException {
        final Path path = requireWriting(name, length);
        final long has = Files.size(path);
        if (length > has || length > LeasedName.granted(path)) {
            throw new IOException(
                    "file="
                            + name
                            + " length="
                            + length
                            + ", expected at most the "
                            + has
                            + " bytes that it has and the "
                            + LeasedName.granted(path)
                            + " that were granted");
        }
        if (has > FolderUsage.pages(length)) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.truncate(FolderUsage.pages(length));
            }
        }
        final Path complete = space.completeLent(path, name, length);
        files.put(name, complete);
        return complete;
    }

    /** Deletes a file. */
    public synchronized void delete(final String name) throws IOException {
        space.takeBackLent(require(name));
        files.remove(name);
    }

    /**
     * Keeps the files that are there now until the job ends; no more are opened.
     *
     * @throws IOException when the mark of the attempt cannot be set
     */
    public synchronized void commit() throws IOException {
        requireOpen();
        Files.write(own.resolve(FileLease.COMMITTED), new byte[0]);
        kept = bytes();
        files.clear();
        isCommitted = true;
    }

    /** Deletes all files but the kept ones, and ends the attempt's part. Idempotent. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        List.copyOf(files.values()).forEach(space::takeBackLent);
        files.clear();
        lock.close();
        FileLease.deleteUncommitted(own);
    }
}
