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
 * task cannot enter the folder. It gets descriptors and can read and write through them for as long
 * as it lives. So a lent file is deleted after use, and a file that was used before is never lent.
 * Thread-safe.
 */
public final class LentFiles implements Closeable {
    /** More than a map needs: one that leaves its spills as runs has at most 1024. */
    private static final int MOST_FILES = 4096;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rw-------");

    /** The group can open it, too, because the task's user may be in the file's group. */
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

    /** The bytes of a lent file in the account, in whole pages. */
    static long bytesOf(final Path file) {
        return FolderUsage.pages(LeasedName.lent(file));
    }

    /** The bytes of all files, kept ones included. */
    public synchronized long bytes() {
        return kept + files.values().stream().mapToLong(LentFiles::bytesOf).sum();
    }

    /**
     * Creates an empty file. Until {@link #shut} a process with a descriptor of it can open it
     * again, for reading and writing. Other users cannot enter its folder.
     *
     * @param expectedBytes of the grant
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
            throw new IOException("files=" + files.size() + ", expected fewer than " + MOST_FILES);
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

    /** Lets only the owner open the file from now on, because the task has its descriptor. */
    public synchronized void shut(final String name) throws IOException {
        Files.setPosixFilePermissions(require(name), OWNER_ONLY);
    }

    /**
     * Lets a file become longer.
     *
     * @param length more than the grant so far
     * @return the bytes of the new grant
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

    /** The grant of a file in bytes; 0 where no such file is being written. */
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
     * Ends the writing of a file, and truncates it to its length.
     *
     * @return the new path of the file
     * @throws IOException when the file or its grant is shorter
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
                            + " bytes of the file and the "
                            + LeasedName.granted(path)
                            + " of its grant");
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
     * Keeps the current files until the job ends; no more can be opened.
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
