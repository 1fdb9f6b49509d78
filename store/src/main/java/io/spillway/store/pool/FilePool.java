// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.host.PrivateDirectory;
import io.spillway.store.FreeSpace;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder of files on a memory or NVM mount that are used again instead of being deleted: the
 * first touch of a page costs about ten times a warm copy. A node owns it; tasks of the same user
 * lease files from it.
 *
 * <pre>
 * owner             locked by the node's process; see {@link FolderOwner}
 * lock              held for a moment while room is taken; see {@link FolderSpace}. Its text says
 *                   how many bytes all files take at most; see {@link FolderAccount}
 * overflows-N-N     how often there was none; see {@link FolderOverflows}
 * pool/             files without an owner; gone once the node stops
 * apps/APP/ATTEMPT/ files that a task attempt has, its lock, and its mark when it has committed
 * </pre>
 *
 * <p>All state is in names of files (the account can be counted again), and a lease begins and ends
 * by a rename: so nothing is lost or leaked when a task or the node is killed at any point. A task
 * that lives holds the lock; the files of one that has died without its mark go back by {@link
 * #reclaimDead}, those of a job that has ended by {@link #reclaim}. A folder whose owner is gone is
 * reclaimed by {@link AbandonedFolders}. Thread-safe, also across processes.
 *
 * <p>A task of another user cannot enter the folder. The node creates files for it ({@link
 * LentFiles}) and passes their descriptors; such files are never used again.
 */
public final class FilePool {
    private static final Logger LOG = LoggerFactory.getLogger(FilePool.class);

    static final String POOL = "pool";
    static final String APPS = "apps";

    static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_]+");

    /** The depth of a file below the folder: apps/APP/ATTEMPT/FILE. */
    private static final int DEPTH_OF_FILES = 4;

    /** How often a folder is made that others delete meanwhile. */
    private static final int MAX_ATTEMPTS = 5;

    private final Path root;
    private final long limit;
    private final PooledFiles pool;
    private final FolderSpace space;
    private final AttemptFolders attempts;

    /** Null in processes that only use the folder. */
    private final FolderOwner owner;

    private FilePool(final Path root, final long limit, final FolderOwner owner) {
        this.root = Objects.requireNonNull(root, "root");
        this.limit = limit;
        this.owner = owner;
        this.pool = new PooledFiles(root.resolve(POOL));
        this.space = new FolderSpace(root, limit, pool);
        this.attempts = new AttemptFolders(root.resolve(APPS), space);
    }

    /**
     * Makes a folder, or takes over one that is there and has no living owner. This process owns it
     * until {@link #release}.
     *
     * @param limit the most bytes of all files in it
     * @param keep for how long the folder's files are kept for the same owner when this process is
     *     gone
     * @throws IOException when it cannot be made, has a living owner, or belongs to another user;
     *     the message names it
     */
    public static FilePool create(final Path root, final long limit, final Duration keep)
            throws IOException {
        try {
            final FolderOwner owner = own(root, keep);
            try {
                PrivateDirectory.create(root.resolve(POOL));
                PrivateDirectory.create(root.resolve(APPS));
                final FilePool created = new FilePool(root, limit, owner);
                created.space.count();
                return created;
            } catch (final IOException e) {
                owner.release();
                throw e;
            }
        } catch (final IOException e) {
            throw new IOException("cannot use " + root + ": " + e, e);
        }
    }

    /** Someone may be deleting the folder of an owner before: then it is made again. */
    private static FolderOwner own(final Path root, final Duration keep) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                PrivateDirectory.create(root.getParent());
                PrivateDirectory.create(root);
                return FolderOwner.take(root, keep);
            } catch (final FileSystemException e) {
                if (attempt == MAX_ATTEMPTS || !Files.isDirectory(root.getParent().getParent())) {
                    throw e;
                }
                LOG.debug("{} was deleted by someone else", root, e);
            }
        }
    }

    /**
     * Looks at a folder that a node made.
     *
     * @return nothing when it is not there, its node stops, or it belongs to another user than this
     *     process's
     */
    public static Optional<FilePool> existing(final Path root, final long limit) {
        try {
            return PrivateDirectory.isOwn(root.resolve(POOL))
                    ? Optional.of(new FilePool(root, limit, null))
                    : Optional.empty();
        } catch (final IOException e) {
            LOG.info("{} cannot be used: {}", root, e.toString());
            return Optional.empty();
        }
    }

    /** A folder whose owner is gone, for its cleaner. */
    static FilePool abandoned(final Path root, final FolderOwner cleaner) {
        return new FilePool(root, Long.MAX_VALUE, cleaner);
    }

    /** The folder itself. */
    public Path root() {
        return root;
    }

    /** The most bytes of all files in the folder. */
    long limit() {
        return limit;
    }

    /** Takes and gives back files and room. */
    FolderSpace space() {
        return space;
    }

    /**
     * Opens an attempt's part of the folder, and holds its lock until the files are closed.
     *
     * @param room says how much new memory may be taken
     * @throws IOException when another process has the attempt's part, or the folder is gone
     */
    public FileLease lease(final String application, final String attempt, final FreeSpace room)
            throws IOException {
        return new FileLease(space, folderOf(application, attempt), room);
    }

    /**
     * Opens an attempt's part of the folder for a task of another user, to which this process
     * passes descriptors. Holds the lock of the part until the files are closed.
     *
     * @param room for new memory
     * @throws IOException as of {@link #lease}
     */
    public LentFiles lend(final String application, final String attempt, final FreeSpace room)
            throws IOException {
        return new LentFiles(space, folderOf(application, attempt), room);
    }

    private Path folderOf(final String application, final String attempt) throws IOException {
        final Path app = root.resolve(APPS).resolve(requirePlain(application));
        final Path folder = app.resolve(requirePlain(attempt));
        PrivateDirectory.create(app);
        PrivateDirectory.create(folder);
        return folder;
    }

    /** The bytes of an application's {@link #lend lent} files. */
    public long lentBytes(final String application) throws IOException {
        return attempts.lentBytes(requirePlain(application));
    }

    /**
     * Whether a path is that of an attempt's file in a folder.
     *
     * @param root of the folder
     */
    public static boolean isOfAttempt(final Path root, final Path file, final String attempt) {
        if (!file.startsWith(root)) {
            return false;
        }
        final Path below = root.relativize(file);
        return below.getNameCount() == DEPTH_OF_FILES
                && below.startsWith(APPS)
                && below.getName(2).toString().equals(attempt);
    }

    private static String requirePlain(final String name) {
        if (!PLAIN.matcher(name).matches()) {
            throw new IllegalArgumentException("name=" + name + ", expected letters, digits and _");
        }
        return name;
    }

    /**
     * The bytes of all files, leased or not; one that is being written counts with what it was
     * granted. Those that come or go meanwhile may count or not.
     */
    public long usedBytes() throws IOException {
        return usedBytes(root);
    }

    /** How full it is now, and how often it was too full. */
    public FolderStatus status() throws IOException {
        final FolderUsage pooled = FolderUsage.of(root.resolve(POOL));
        final FolderUsage leased = FolderUsage.of(root.resolve(APPS));
        return new FolderStatus(
                pooled.bytes() + leased.bytes(),
                leased.bytes(),
                leased.leasable(),
                applications().size(),
                space.overflows().counts());
    }

    static long usedBytes(final Path root) throws IOException {
        return FolderUsage.of(root.resolve(POOL)).bytes()
                + FolderUsage.of(root.resolve(APPS)).bytes();
    }

    // ---- the owner's ---------------------------------------------------------------------------

    /**
     * Whether the folder is there as this process has made it, with all its parts. Only a process
     * of the same user or of root can have deleted it.
     */
    public boolean isWhole() {
        return owner.owns(root)
                && Files.isDirectory(root.resolve(POOL))
                && Files.isDirectory(root.resolve(APPS));
    }

    /**
     * Makes the folder again after it was deleted. This object is of no use any more.
     *
     * @throws IOException as of {@link #create}
     */
    public FilePool makeAgain() throws IOException {
        owner.release();
        return create(root, limit, owner.keep());
    }

    /** Says that the owner lives, so that the folder's files are kept from now on. */
    public void giveSign() throws IOException {
        owner.giveSign();
    }

    /**
     * Deletes the files without an owner: their memory is free again. From now on no task gets a
     * file, and what is given back is deleted. The folder goes too, where nothing is left in it.
     */
    public void drain() {
        try {
            space.exclusively(
                    () -> {
                        pool.drain();
                        return null;
                    });
        } catch (final IOException e) {
            LOG.warn("{} still holds files that are not in use", root, e);
        }
    }

    /**
     * Ends the ownership: what jobs have is kept for as long as the folder says, or deleted where
     * that is not at all.
     */
    public void release() {
        drain();
        try {
            if (owner.keep().isZero()) {
                deleteAll();
            } else {
                owner.giveSign();
            }
            deleteEmpty();
        } catch (final IOException e) {
            LOG.warn("{} still holds files", root, e);
        } finally {
            owner.release();
        }
    }

    /** Deletes what no living task holds. */
    void deleteAll() throws IOException {
        pool.drain();
        attempts.deleteAll();
    }

    /** Deletes the folder, unless a task or a job has files in it. */
    void deleteEmpty() throws IOException {
        if (Files.isDirectory(root.resolve(POOL))
                || !AttemptFolders.deleteIfEmpty(root.resolve(APPS))) {
            return;
        }
        space.overflows().delete();
        Files.deleteIfExists(space.lock());
        Files.deleteIfExists(root.resolve(FolderOwner.FILE));
        AttemptFolders.deleteIfEmpty(root);
    }

    // ---- giving back ---------------------------------------------------------------------------

    /** The applications that have files. */
    public List<String> applications() throws IOException {
        return attempts.applications();
    }

    /**
     * Takes back all files of a job that has ended. Those of a task that lives on, against the
     * node's will, are deleted instead: it may still write to them.
     */
    public void reclaim(final String application) throws IOException {
        attempts.reclaim(requirePlain(application));
    }

    /**
     * Takes back the files of task attempts that have died before they committed, and counts the
     * bytes of all files. A task of an older version takes files without changing the {@link
     * FolderAccount}; the account lacks these bytes until the owner's next call. Deletes lent files
     * that are longer than their grant.
     */
    public void reclaimDead() throws IOException {
        attempts.reclaimDead();
        attempts.deleteOverdrawn();
        space.count();
    }

    /** The bytes of tasks that live. */
    long heldBytes() throws IOException {
        return attempts.heldBytes();
    }
}
