package io.spillway.store.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whose a {@link FilePool} is: the process that holds the lock on the folder's file {@code owner}.
 * The file says for how long after the owner's last sign of life (the file's time of modification)
 * the folder waits for an owner that comes back. Thread-safe.
 */
final class FolderOwner {
    /** The file's name. */
    static final String FILE = "owner";

    /** A NodeManager that is started again may have to wait for the one before, or a cleaner. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Pattern KEEP = Pattern.compile("keep\\.seconds=(\\d{1,9})");

    private final PathLock lock;
    private final Duration keep;

    private FolderOwner(final PathLock lock, final Duration keep) {
        this.lock = lock;
        this.keep = keep;
    }

    /**
     * Becomes the owner.
     *
     * @param keep for how long the folder waits when this process is gone
     * @throws IOException when a living process owns the folder, or the folder is gone
     */
    static FolderOwner take(final Path root, final Duration keep) throws IOException {
        final FolderOwner owner =
                new FolderOwner(PathLock.take(root.resolve(FILE), PATIENCE), keep);
        owner.giveSign();
        return owner;
    }

    /** Becomes the owner of a folder that has none, to clean it; nothing when it has one. */
    static Optional<FolderOwner> tryTake(final Path root) throws IOException {
        return PathLock.tryTake(root.resolve(FILE))
                .map(lock -> new FolderOwner(lock, Duration.ZERO));
    }

    Duration keep() {
        return keep;
    }

    /** Says that the owner lives. */
    synchronized void giveSign() throws IOException {
        lock.write(
                String.format(
                        Locale.ROOT,
                        "process=%d%nkeep.seconds=%d%n",
                        ProcessHandle.current().pid(),
                        keep.toSeconds()));
    }

    /** Until when the folder waits for its last owner; nothing when it never had one. */
    Optional<Instant> keptUntil(final Path root) throws IOException {
        final Matcher written = KEEP.matcher(lock.read());
        if (!written.find()) {
            return Optional.empty();
        }
        final Instant lastSign = Files.getLastModifiedTime(root.resolve(FILE)).toInstant();
        return Optional.of(lastSign.plusSeconds(Long.parseLong(written.group(1))));
    }

    /** Leaves the folder to the next owner. Idempotent. */
    synchronized void release() {
        lock.close();
    }
}
