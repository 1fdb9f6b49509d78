package io.spillway.store;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder of files on a memory or NVM mount that are used again instead of being deleted: the
 * first touch of a page costs about ten times a warm copy. A node owns it; tasks of the same user
 * lease files from it.
 *
 * <pre>
 * pool/             files that nobody has
 * apps/APP/ATTEMPT/ files that a task attempt has, its lock, and its mark when it has committed
 * </pre>
 *
 * <p>All state is in names of files, and a lease begins and ends by a rename: so nothing is lost or
 * leaked when a task or the node is killed at any point. A task that lives holds the lock; the
 * files of one that has died without its mark go back by {@link #reclaimDead}, those of a job that
 * has ended by {@link #reclaim}. Thread-safe, also across processes.
 */
public final class RecycledFolder {
    private static final Logger LOG = LoggerFactory.getLogger(RecycledFolder.class);

    private static final String POOL = "pool";
    private static final String APPS = "apps";

    /** An attempt's folder exists for a moment before its lock is held. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final Path root;
    private final long limit;

    private RecycledFolder(final Path root, final long limit) {
        this.root = Objects.requireNonNull(root, "root");
        this.limit = limit;
    }

    /**
     * Makes a folder, or takes over one that is there.
     *
     * @param limit the most bytes of all files in it
     * @throws IOException when it cannot be made, or belongs to another user; the message names it
     */
    public static RecycledFolder create(final Path root, final long limit) throws IOException {
        try {
            createPrivate(root.getParent());
            createPrivate(root);
            createPrivate(root.resolve(POOL));
            createPrivate(root.resolve(APPS));
        } catch (final IOException e) {
            throw new IOException("cannot use " + root + ": " + e, e);
        }
        return new RecycledFolder(root, limit);
    }

    /**
     * Looks at a folder that a node made.
     *
     * @return nothing when it is not there, or belongs to another user than this process's
     */
    public static Optional<RecycledFolder> existing(final Path root, final long limit) {
        final Path pool = root.resolve(POOL);
        try {
            return Files.isDirectory(pool) && isOwn(pool)
                    ? Optional.of(new RecycledFolder(root, limit))
                    : Optional.empty();
        } catch (final IOException e) {
            LOG.info("{} cannot be used: {}", root, e.toString());
            return Optional.empty();
        }
    }

    /** A directory of our own that nobody else can look into; not a link that someone else laid. */
    private static void createPrivate(final Path directory) throws IOException {
        try {
            Files.createDirectory(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (final FileAlreadyExistsException e) {
            if (Files.isSymbolicLink(directory) || !Files.isDirectory(directory)) {
                throw new IOException(directory + " is not a directory", e);
            }
            if (!isOwn(directory)) {
                throw new IOException(directory + " belongs to " + Files.getOwner(directory), e);
            }
        }
    }

    private static boolean isOwn(final Path path) throws IOException {
        return Files.getOwner(path).getName().equals(System.getProperty("user.name"));
    }

    /** The folder itself. */
    public Path root() {
        return root;
    }

    /** The most bytes of all files in the folder. */
    long limit() {
        return limit;
    }

    /**
     * Opens an attempt's part of the folder, and holds its lock until the files are closed.
     *
     * @param room says how much new memory may be taken
     * @throws IOException when another process has the attempt's part
     */
    public LeasedFiles lease(final String application, final String attempt, final Room room)
            throws IOException {
        final Path apps = root.resolve(APPS);
        final Path folder = apps.resolve(plain(application)).resolve(plain(attempt));
        Files.createDirectories(folder);
        return new LeasedFiles(this, folder, room);
    }

    private static String plain(final String name) {
        if (!name.matches("[A-Za-z0-9_]+")) {
            throw new IllegalArgumentException("name=" + name + ", expected letters, digits and _");
        }
        return name;
    }

    /**
     * Moves a file of the pool to {@code target}: the smallest that is large enough, else the
     * largest.
     *
     * @return whether there was one
     */
    boolean take(final long expectedBytes, final Path target) throws IOException {
        while (true) {
            final List<Sized> files = files(root.resolve(POOL));
            final Optional<Sized> best =
                    files.stream()
                            .filter(file -> file.bytes() >= expectedBytes)
                            .min(Comparator.comparingLong(Sized::bytes))
                            .or(() -> files.stream().max(Comparator.comparingLong(Sized::bytes)));
            if (best.isEmpty()) {
                return false;
            }
            if (move(best.get().path(), target)) {
                return true;
            }
        }
    }

    /** Moves a file; false when someone else took it first. */
    private static boolean move(final Path from, final Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (final NoSuchFileException e) {
            LOG.debug("{} was taken by someone else", from, e);
            return false;
        }
    }

    /**
     * Makes room for new pages, by deleting files of the pool where the limit asks for it.
     *
     * @throws StoreFullException when the limit does not allow for that much
     */
    void requireUnderLimit(final long more) throws IOException {
        long used = usedBytes();
        if (used + more <= limit) {
            return;
        }
        for (final Sized file : files(root.resolve(POOL))) {
            if (Files.deleteIfExists(file.path())) {
                used -= file.bytes();
            }
            if (used + more <= limit) {
                return;
            }
        }
        throw new StoreFullException(
                "bytes="
                        + more
                        + ", expected to fit "
                        + root
                        + " used="
                        + used
                        + " limit="
                        + limit);
    }

    /** Puts a file back into the pool. */
    void giveBack(final Path file) {
        try {
            move(file, root.resolve(POOL).resolve(UUID.randomUUID().toString()));
        } catch (final IOException e) {
            LOG.warn("{} could not be given back", file, e);
        }
    }

    /** The bytes of all files, leased or not; those that come or go meanwhile may count or not. */
    public long usedBytes() throws IOException {
        final long[] bytes = {0};
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(
                            final Path file, final BasicFileAttributes attributes) {
                        bytes[0] += attributes.size();
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(
                            final Path file, final IOException failure) {
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(
                            final Path directory, final IOException failure) {
                        return FileVisitResult.CONTINUE;
                    }
                });
        return bytes[0];
    }

    private static long lengthOf(final Path path) {
        try {
            return Files.size(path);
        } catch (final IOException e) {
            return 0;
        }
    }

    private static List<Sized> files(final Path directory) throws IOException {
        final List<Sized> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(entry -> files.add(new Sized(entry, lengthOf(entry))));
        }
        return files;
    }

    private record Sized(Path path, long bytes) {}

    /**
     * Deletes the files that nobody has: their memory is free again. The folder goes too, where no
     * task and no job has files in it.
     */
    public void drain() {
        try {
            for (final Path file : children(root.resolve(POOL))) {
                Files.deleteIfExists(file);
            }
            for (final Path application : children(root.resolve(APPS))) {
                Files.deleteIfExists(application);
            }
            for (final Path directory : List.of(root.resolve(APPS), root.resolve(POOL), root)) {
                Files.deleteIfExists(directory);
            }
        } catch (final DirectoryNotEmptyException e) {
            LOG.debug("{} is still in use", root, e);
        } catch (final IOException e) {
            LOG.warn("{} still holds files that nobody uses", root, e);
        }
    }

    // ---- giving back ---------------------------------------------------------------------------

    /** The applications that have files. */
    public List<String> applications() throws IOException {
        try (Stream<Path> apps = Files.list(root.resolve(APPS))) {
            return apps.map(app -> app.getFileName().toString()).sorted().toList();
        }
    }

    /**
     * Takes back all files of a job that has ended. Those of a task that lives on, against the
     * node's will, are deleted instead: it may still write to them.
     */
    public void reclaim(final String application) throws IOException {
        final Path app = root.resolve(APPS).resolve(plain(application));
        for (final Path attempt : children(app)) {
            reclaimAttempt(attempt);
        }
        Files.deleteIfExists(app);
    }

    /** Takes back the files of task attempts that have died before they committed. */
    public void reclaimDead() throws IOException {
        for (final String application : applications()) {
            for (final Path attempt : children(root.resolve(APPS).resolve(application))) {
                if (isOld(attempt) && LeasedFiles.isDead(attempt)) {
                    LOG.info("Taking back what {} has left", attempt.getFileName());
                    reclaimAttempt(attempt);
                }
            }
        }
    }

    private static boolean isOld(final Path attempt) throws IOException {
        final FileTime time = Files.getLastModifiedTime(attempt);
        return time.toInstant().isBefore(Instant.now().minus(GRACE));
    }

    private void reclaimAttempt(final Path attempt) throws IOException {
        final boolean isHeld = LeasedFiles.isHeld(attempt);
        for (final Path file : children(attempt)) {
            if (LeasedFiles.isData(file) && !isHeld) {
                giveBack(file);
            } else {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(attempt);
    }

    private static List<Path> children(final Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }
}
