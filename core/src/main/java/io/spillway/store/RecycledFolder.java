package io.spillway.store;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder of files on a memory or NVM mount that are used again instead of being deleted: the
 * first touch of a page costs about ten times a warm copy. A node owns it; tasks of the same user
 * lease files from it.
 *
 * <pre>
 * owner             locked by the node's process; see {@link FolderOwner}
 * lock              held for a moment by whoever takes room; see {@link FolderSpace}
 * pool/             files that nobody has; gone once the node stops
 * apps/APP/ATTEMPT/ files that a task attempt has, its lock, and its mark when it has committed
 * </pre>
 *
 * <p>All state is in names of files, and a lease begins and ends by a rename: so nothing is lost or
 * leaked when a task or the node is killed at any point. A task that lives holds the lock; the
 * files of one that has died without its mark go back by {@link #reclaimDead}, those of a job that
 * has ended by {@link #reclaim}. A folder whose owner is gone is reclaimed by {@link
 * AbandonedFolders}. Thread-safe, also across processes.
 */
public final class RecycledFolder {
    private static final Logger LOG = LoggerFactory.getLogger(RecycledFolder.class);

    static final String POOL = "pool";
    static final String APPS = "apps";

    /** What the name of an attempt's folder begins with when it is being taken back. */
    private static final String WITHDRAWN = "ended-";

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_]+");

    /** An attempt's folder exists for a moment before its lock is held. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    /** How often a folder is made that others delete meanwhile. */
    private static final int MAX_ATTEMPTS = 5;

    private final Path root;
    private final long limit;
    private final PooledFiles pool;
    private final FolderSpace space;

    /** Null in processes that only use the folder. */
    private final FolderOwner owner;

    private RecycledFolder(final Path root, final long limit, final FolderOwner owner) {
        this.root = Objects.requireNonNull(root, "root");
        this.limit = limit;
        this.owner = owner;
        this.pool = new PooledFiles(root.resolve(POOL));
        this.space = new FolderSpace(root, limit, pool);
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
    public static RecycledFolder create(final Path root, final long limit, final Duration keep)
            throws IOException {
        try {
            final FolderOwner owner = own(root, keep);
            try {
                PrivateDirectory.create(root.resolve(POOL));
                PrivateDirectory.create(root.resolve(APPS));
                return new RecycledFolder(root, limit, owner);
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
    public static Optional<RecycledFolder> existing(final Path root, final long limit) {
        try {
            return PrivateDirectory.isOwn(root.resolve(POOL))
                    ? Optional.of(new RecycledFolder(root, limit, null))
                    : Optional.empty();
        } catch (final IOException e) {
            LOG.info("{} cannot be used: {}", root, e.toString());
            return Optional.empty();
        }
    }

    /** A folder whose owner is gone, for its cleaner. */
    static RecycledFolder abandoned(final Path root, final FolderOwner cleaner) {
        return new RecycledFolder(root, Long.MAX_VALUE, cleaner);
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
    public LeasedFiles lease(final String application, final String attempt, final Room room)
            throws IOException {
        final Path app = root.resolve(APPS).resolve(requirePlain(application));
        final Path folder = app.resolve(requirePlain(attempt));
        PrivateDirectory.create(app);
        PrivateDirectory.create(folder);
        return new LeasedFiles(space, folder, room);
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

    static long usedBytes(final Path root) throws IOException {
        return FolderUsage.of(root.resolve(POOL)).bytes()
                + FolderUsage.of(root.resolve(APPS)).bytes();
    }

    // ---- the owner's ---------------------------------------------------------------------------

    /** Says that the owner lives, so that the folder's files are kept from now on. */
    public void giveSign() throws IOException {
        owner.giveSign();
    }

    /**
     * Deletes the files that nobody has: their memory is free again. From now on no task gets a
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
            LOG.warn("{} still holds files that nobody uses", root, e);
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

    /** The bytes of tasks that live. */
    long heldBytes() throws IOException {
        long held = 0;
        for (final Path application : applicationFolders()) {
            for (final Path attempt : directories(application)) {
                held += LeasedFiles.isHeld(attempt) ? FolderUsage.of(attempt).bytes() : 0;
            }
        }
        return held;
    }

    /** Deletes what no living task holds. */
    void deleteAll() throws IOException {
        pool.drain();
        for (final Path application : applicationFolders()) {
            for (final Path attempt : directories(application)) {
                if (!LeasedFiles.isHeld(attempt)) {
                    reclaimAttempt(attempt, FilesInUse.ALL);
                }
            }
            deleteIfEmpty(application);
        }
    }

    /** Deletes the folder, unless a task or a job has files in it. */
    void deleteEmpty() throws IOException {
        if (Files.isDirectory(root.resolve(POOL)) || !deleteIfEmpty(root.resolve(APPS))) {
            return;
        }
        Files.deleteIfExists(space.lock());
        Files.deleteIfExists(root.resolve(FolderOwner.FILE));
        deleteIfEmpty(root);
    }

    /** False when there is something in the directory. */
    private static boolean deleteIfEmpty(final Path directory) throws IOException {
        try {
            Files.deleteIfExists(directory);
            return true;
        } catch (final DirectoryNotEmptyException e) {
            LOG.debug("{} is still in use", directory, e);
            return false;
        }
    }

    // ---- giving back ---------------------------------------------------------------------------

    /** The applications that have files. */
    public List<String> applications() throws IOException {
        return applicationFolders().stream().map(app -> app.getFileName().toString()).toList();
    }

    /** What else lies there is not ours. */
    private List<Path> applicationFolders() throws IOException {
        return directories(root.resolve(APPS)).stream()
                .filter(app -> PLAIN.matcher(app.getFileName().toString()).matches())
                .toList();
    }

    /**
     * Takes back all files of a job that has ended. Those of a task that lives on, against the
     * node's will, are deleted instead: it may still write to them. So are those that any process
     * still has open, as a node that is sending them: it goes on reading what it has opened.
     */
    public void reclaim(final String application) throws IOException {
        final Path app = root.resolve(APPS).resolve(requirePlain(application));
        reclaimAttempts(directories(app));
        deleteIfEmpty(app);
    }

    /** First nothing of them can be opened any more, then it is looked at what is open. */
    private void reclaimAttempts(final List<Path> attempts) throws IOException {
        if (attempts.isEmpty()) {
            return;
        }
        final List<Path> withdrawn = new ArrayList<>();
        for (final Path attempt : attempts) {
            withdrawn.add(withdraw(attempt));
        }
        final FilesInUse inUse = FilesInUse.below(root);
        for (final Path attempt : withdrawn) {
            reclaimAttempt(attempt, inUse);
        }
    }

    private static Path withdraw(final Path attempt) throws IOException {
        final String name = attempt.getFileName().toString();
        if (name.startsWith(WITHDRAWN)) {
            return attempt;
        }
        return Files.move(
                attempt, attempt.resolveSibling(WITHDRAWN + name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Takes back the files of task attempts that have died before they committed. */
    public void reclaimDead() throws IOException {
        for (final Path application : applicationFolders()) {
            for (final Path attempt : directories(application)) {
                if (isOld(attempt) && LeasedFiles.isDead(attempt)) {
                    LOG.info("Taking back what {} has left", attempt.getFileName());
                    reclaimAttempts(List.of(attempt));
                }
            }
        }
    }

    private static boolean isOld(final Path attempt) throws IOException {
        final FileTime time = Files.getLastModifiedTime(attempt);
        return time.toInstant().isBefore(Instant.now().minus(GRACE));
    }

    private void reclaimAttempt(final Path attempt, final FilesInUse inUse) throws IOException {
        final boolean isHeld = LeasedFiles.isHeld(attempt);
        for (final Path file : children(attempt)) {
            if (LeasedName.isData(file) && !isHeld && !inUse.contains(file)) {
                space.giveBack(file);
            } else {
                Files.deleteIfExists(file);
            }
        }
        deleteIfEmpty(attempt);
    }

    private static List<Path> directories(final Path directory) throws IOException {
        return children(directory).stream()
                .filter(child -> Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS))
                .toList();
    }

    private static List<Path> children(final Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }
}
