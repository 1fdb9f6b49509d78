// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.FreeSpace;
import io.spillway.store.StoreFullException;
import io.spillway.store.pool.FolderStatus.Overflow;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives out the room of a {@link FilePool}. What is granted counts, written or not: a task asks for
 * all that it is about to write, and the answer is in the file's {@link LeasedName name}, where
 * every other process sees it. One process at a time looks and takes, under the folder's lock; so
 * the files never take more than the limit. What they take is in the folder's {@link FolderAccount
 * account}. Where room is short, files without an owner are cut before anyone is refused.
 * Thread-safe.
 */
final class FolderSpace {
    private static final Logger LOG = LoggerFactory.getLogger(FolderSpace.class);

    private static final String LOCK = "lock";

    /** The lock is held for milliseconds; a holder that was stopped must not stop the others. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** A file grows by a share of the limit at a time, within these bounds. */
    private static final long MIN_STEP = 1L << 20;

    private static final long MAX_STEP = 8L << 20;
    private static final int STEP_FRACTION = 512;

    /** A complete file keeps this share of its length beyond its content, warm for the next one. */
    private static final int SURPLUS_FRACTION = 32;

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final FileAttribute<?> READABLE_BY_GROUP =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"));

    private final Path root;
    private final long limit;
    private final PooledFiles pool;
    private final FolderOverflows overflows;

    FolderSpace(final Path root, final long limit, final PooledFiles pool) {
        this.root = root;
        this.limit = limit;
        this.pool = pool;
        this.overflows = new FolderOverflows(root);
    }

    /** Something done with files. */
    @FunctionalInterface
    interface Action<T> {
        T run() throws IOException;
    }

    /**
     * Does something while no other process changes what the files take.
     *
     * @throws IOException when another process keeps the folder's lock, or the folder is gone
     */
    <T> T exclusively(final Action<T> action) throws IOException {
        return change(account -> action.run());
    }

    /** A change of files, which also changes the account. */
    @FunctionalInterface
    private interface Change<T> {
        T run(FolderAccount account) throws IOException;
    }

    private <T> T change(final Change<T> change) throws IOException {
        try (PathLock lock = PathLock.take(root.resolve(LOCK), PATIENCE)) {
            return change.run(FolderAccount.of(lock, root));
        }
    }

    /** Makes the account exact. */
    void count() throws IOException {
        change(FolderAccount::count);
    }

    /** How often it had no room. */
    FolderOverflows overflows() {
        return overflows;
    }

    /** The file of the lock. */
    Path lock() {
        return root.resolve(LOCK);
    }

    /**
     * Gives an attempt a file with room for {@code expectedBytes}, from the pool where one fits.
     *
     * @param attempt the attempt's folder
     * @param name the file's name, without grant
     * @throws StoreFullException when there is no room for that much
     */
    Path take(final Path attempt, final String name, final long expectedBytes, final FreeSpace room)
            throws IOException {
        final Path file = attempt.resolve(LeasedName.writing(name, expectedBytes));
        return change(
                account -> {
                    final boolean isShort =
                            shortage(account, expectedBytes, expectedBytes, room) > 0;
                    make(account, file, expectedBytes, isShort);
                    if (isShort) {
                        requireRoomOf(account, file, expectedBytes, room);
                    }
                    return file;
                });
    }

    /** Takes a file from the pool where one fits; else makes a new one. */
    private void make(
            final FolderAccount account,
            final Path file,
            final long expectedBytes,
            final boolean isShort)
            throws IOException {
        account.add(FolderUsage.pages(expectedBytes), expectedBytes);
        final OptionalLong taken = pool.take(expectedBytes, isShort, file);
        if (taken.isPresent()) {
            final long before =
                    FolderUsage.pages(taken.getAsLong()) + FolderUsage.pages(expectedBytes);
            account.add(pagesOf(file) - before, 0);
        } else {
            Files.createFile(file, READABLE_BY_GROUP);
        }
    }

    /**
     * Creates a new file for a task of another user.
     *
     * @param attempt the attempt's folder
     * @param name the file's name, without grant
     * @return the file: empty, and for its owner only
     * @throws StoreFullException when there is no room for that much
     */
    Path lend(final Path attempt, final String name, final long expectedBytes, final FreeSpace room)
            throws IOException {
        final Path file = attempt.resolve(LeasedName.lentWriting(name, expectedBytes));
        return change(
                account -> {
                    requireRoom(account, expectedBytes, expectedBytes, room);
                    account.add(FolderUsage.pages(expectedBytes), expectedBytes);
                    return Files.createFile(file, OWNER_ONLY);
                });
    }

    /**
     * Ends the writing of a lent file.
     *
     * @param length of the content, which is that of the file
     * @return the new path of the file
     */
    Path completeLent(final Path file, final String name, final long length) throws IOException {
        return change(
                account -> {
                    final long before = LeasedName.granted(file);
                    final Path complete = rename(file, LeasedName.lentComplete(name, length));
                    account.add(FolderUsage.pages(length) - FolderUsage.pages(before), -before);
                    return complete;
                });
    }

    /** Deletes a lent file, so that no other task gets it. */
    void takeBackLent(final Path file) {
        try {
            change(
                    account -> {
                        if (Files.deleteIfExists(file)) {
                            account.add(
                                    -FolderUsage.pages(LeasedName.lent(file)),
                                    -LeasedName.granted(file));
                        }
                        return null;
                    });
        } catch (final IOException e) {
            LOG.debug("{} is deleted; the account still has its bytes", file, e);
            delete(file);
        }
    }

    private void requireRoomOf(
            final FolderAccount account, final Path file, final long asked, final FreeSpace room)
            throws IOException {
        try {
            requireRoom(account, 0, asked, room); // the file counts already
        } catch (final IOException e) {
            putBack(account, file);
            throw e;
        }
    }

    /** The bytes that a file has or was granted, whichever is more, in whole pages. */
    private static long pagesOf(final Path file) {
        return FolderUsage.pages(Math.max(PooledFiles.lengthOf(file), LeasedName.granted(file)));
    }

    private void putBack(final FolderAccount account, final Path file) throws IOException {
        final long before = pagesOf(file);
        final long pooled = pool.put(file);
        account.add(FolderUsage.pages(pooled) - before, -LeasedName.granted(file));
    }

    /**
     * Lets a file grow, by more than it needs where there is room for that.
     *
     * @param length the length needed, more than was granted
     * @return where the file is now: its name tells what is granted
     * @throws StoreFullException when there is no room for that much
     */
    Path grow(final Path file, final String name, final long length, final FreeSpace room)
            throws IOException {
        return change(
                account -> {
                    final long before = LeasedName.granted(file);
                    final long had =
                            LeasedName.isLent(file) ? before : Math.max(Files.size(file), before);
                    final long more = length - had;
                    final long step = Math.max(more, step());
                    final long granted;
                    if (shortage(account, step, step, room) <= 0) {
                        granted = had + step;
                    } else {
                        requireRoom(account, more, length, room);
                        granted = length;
                    }
                    account.add(
                            FolderUsage.pages(granted) - FolderUsage.pages(had), granted - before);
                    return rename(file, LeasedName.grown(file, name, granted));
                });
    }

    private long step() {
        return Math.max(MIN_STEP, Math.min(MAX_STEP, limit / STEP_FRACTION));
    }

    /**
     * By how much what there is falls short of {@code more} bytes that are not yet granted; 0 or
     * less where there is room.
     */
    private long shortage(
            final FolderAccount account,
            final long more,
            final long unwritten,
            final FreeSpace room)
            throws IOException {
        final long free = room.free();
        if (account.surelyFits(more, limit, unwritten, free)) {
            return 0;
        }
        final FolderUsage usage = account.count();
        return Math.max(
                usage.bytes() + FolderUsage.pages(more) - limit,
                usage.unwritten() + unwritten - free);
    }

    private void requireRoom(
            final FolderAccount account, final long more, final long asked, final FreeSpace room)
            throws IOException {
        final long missing = shortage(account, more, more, room);
        if (missing <= 0) {
            return;
        }
        final long freed = pool.free(missing);
        account.add(-freed, 0);
        if (freed > 0 && shortage(account, more, more, room) <= 0) {
            return;
        }
        final FolderUsage usage = account.count();
        overflows.add(
                usage.bytes() + FolderUsage.pages(more) > limit
                        ? Overflow.LIMIT
                        : Overflow.RESERVE);
        throw new StoreFullException(
                "bytes="
                        + asked
                        + ", expected to fit "
                        + root
                        + " used="
                        + usage.bytes()
                        + " limit="
                        + limit
                        + " unwritten="
                        + usage.unwritten()
                        + " free="
                        + Math.max(0, room.free()));
    }

    /**
     * Ends the writing of a file: gives back what was granted and not used.
     *
     * @param length of what it holds
     * @return where the file is now
     */
    Path complete(
            final Path file, final String name, final RandomAccessFile data, final long length)
            throws IOException {
        return change(
                account -> {
                    final long before = pagesOf(file);
                    final long surplus = data.length() - FolderUsage.pages(length);
                    if (surplus > length / SURPLUS_FRACTION) {
                        data.setLength(FolderUsage.pages(length));
                    }
                    final Path complete = rename(file, LeasedName.complete(name));
                    account.add(pagesOf(complete) - before, -LeasedName.granted(file));
                    return complete;
                });
    }

    private static Path rename(final Path file, final String name) throws IOException {
        final Path renamed = file.resolveSibling(name);
        if (!PooledFiles.move(file, renamed)) {
            throw new IOException(file + " is gone");
        }
        return renamed;
    }

    /** Puts a file that is of no more use back into the pool. */
    void giveBack(final Path file) {
        try {
            change(
                    account -> {
                        putBack(account, file);
                        return null;
                    });
        } catch (final IOException e) {
            LOG.debug("{} cannot be used again", file, e);
            delete(file);
        }
    }

    private static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            LOG.warn("{} could not be given back", file, e);
        }
    }
}
