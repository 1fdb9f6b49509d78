// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What task attempts have of a {@link FilePool}, a folder each below their application's, and how
 * it is taken back. Thread-safe, also across processes.
 */
final class AttemptFolders {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptFolders.class);

    /** What the name of an attempt's folder begins with when it is being taken back. */
    private static final String WITHDRAWN = "ended-";

    /** An attempt's folder exists for a moment before its lock is held. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final Path apps;
    private final FolderSpace space;

    AttemptFolders(final Path apps, final FolderSpace space) {
        this.apps = apps;
        this.space = space;
    }

    /** The bytes of tasks that live. */
    long heldBytes() throws IOException {
        long held = 0;
        for (final Path application : applicationFolders()) {
            for (final Path attempt : directories(application)) {
                held += FileLease.isHeld(attempt) ? FolderUsage.of(attempt).bytes() : 0;
            }
        }
        return held;
    }

    /** Deletes what no living task holds. */
    void deleteAll() throws IOException {
        for (final Path application : applicationFolders()) {
            for (final Path attempt : directories(application)) {
                if (!FileLease.isHeld(attempt)) {
                    reclaimAttempt(attempt, FilesInUse.ALL);
                }
            }
            deleteIfEmpty(application);
        }
    }

    /** False when there is something in the directory. */
    static boolean deleteIfEmpty(final Path directory) throws IOException {
        try {
            Files.deleteIfExists(directory);
            return true;
        } catch (final DirectoryNotEmptyException e) {
            LOG.debug("{} is still in use", directory, e);
            return false;
        }
    }

    /** The applications that have files. */
    List<String> applications() throws IOException {
        return applicationFolders().stream().map(app -> app.getFileName().toString()).toList();
    }

    /** What else lies there is not ours. */
    private List<Path> applicationFolders() throws IOException {
        return directories(apps).stream()
                .filter(app -> FilePool.PLAIN.matcher(app.getFileName().toString()).matches())
                .toList();
    }

    /**
     * Takes back all files of a job that has ended. Those of a task that lives on, against the
     * node's will, are deleted instead: it may still write to them. So are those that any process
     * still has open, as a node that is sending them: it goes on reading what it has opened.
     */
    void reclaim(final String application) throws IOException {
        final Path app = apps.resolve(application);
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
        final FilesInUse inUse = FilesInUse.below(apps);
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
    void reclaimDead() throws IOException {
        for (final Path application : applicationFolders()) {
            for (final Path attempt : directories(application)) {
                if (isOld(attempt) && FileLease.isDead(attempt)) {
                    LOG.info("Taking back what {} has left", attempt.getFileName());
                    reclaimAttempts(List.of(attempt));
                }
            }
        }
    }

    /** The bytes of an application's lent files. */
    long lentBytes(final String application) throws IOException {
        long bytes = 0;
        for (final Path attempt : directories(apps.resolve(application))) {
            for (final Path file : children(attempt)) {
                bytes += LeasedName.isLent(file) ? LentFiles.bytesOf(file) : 0;
            }
        }
        return bytes;
    }

    /** Deletes lent files that are longer than their grant. */
    void deleteOverdrawn() throws IOException {
        for (final Path application : applicationFolders()) {
            for (final Path attempt : directories(application)) {
                for (final Path file : children(attempt)) {
                    deleteIfOverdrawn(file);
                }
            }
        }
    }

    private void deleteIfOverdrawn(final Path file) {
        // A file with a new grant has a new name, so that the length of the old name is 0.
        final long length = LeasedName.isLent(file) ? PooledFiles.lengthOf(file) : 0;
        if (length > LentFiles.bytesOf(file)) {
            LOG.warn(
                    "{} is deleted: length={}, expected at most the {} granted bytes; its"
                            + " task has written more",
                    file,
                    length,
                    LeasedName.lent(file));
            space.takeBackLent(file);
        }
    }

    private static boolean isOld(final Path attempt) throws IOException {
        final FileTime time = Files.getLastModifiedTime(attempt);
        return time.toInstant().isBefore(Instant.now().minus(GRACE));
    }

    private void reclaimAttempt(final Path attempt, final FilesInUse inUse) throws IOException {
        final boolean isHeld = FileLease.isHeld(attempt);
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
