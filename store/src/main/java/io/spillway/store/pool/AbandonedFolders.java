// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.host.OwnUser;
import io.spillway.host.PrivateDirectory;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reclaims what this user's nodes have left in a tier's directory. A folder belongs to a living
 * process, which holds its lock, or to a NodeManager that may come back, for as long as the folder
 * says; every other is deleted, except for files of tasks that still run. So memory of a host
 * outlives no cluster, however that ended, once anyone passes here. Thread-safe, also across
 * processes.
 */
public final class AbandonedFolders {
    private static final Logger LOG = LoggerFactory.getLogger(AbandonedFolders.class);

    /** A folder without owner's file is of a version before there was one, and may be in use. */
    private static final Duration UNKNOWN_OWNER = Duration.ofDays(1);

    private final Path directory;

    /**
     * Looks at a tier's directory, which need not exist.
     *
     * @param tierDirectory as in a tier's setting, such as {@code /dev/shm}
     */
    public AbandonedFolders(final Path tierDirectory) {
        this.directory = ofUser(tierDirectory);
    }

    /** Where this process's user has the folders of a tier. */
    public static Path ofUser(final Path tierDirectory) {
        return tierDirectory.resolve("spillway-" + OwnUser.name());
    }

    /**
     * A folder that was found.
     *
     * @param root its root
     * @param freed the bytes that were freed, or would be
     * @param kept the bytes that stay
     * @param reason why they stay; empty where nothing does
     */
    public record Found(Path root, long freed, long kept, String reason) {}

    /** What to do. */
    public enum Mode {
        /** Reclaims what has no owner and waits for none. */
        RECLAIM,
        /** Reclaims also what waits for an owner to come back. */
        RECLAIM_WAITING,
        /** Says what {@link #RECLAIM} would do. */
        LOOK,
        /** Says what {@link #RECLAIM_WAITING} would do. */
        LOOK_WAITING;

        private boolean deletes() {
            return this == RECLAIM || this == RECLAIM_WAITING;
        }

        private boolean takesWaiting() {
            return this == RECLAIM_WAITING || this == LOOK_WAITING;
        }
    }

    /**
     * Looks at all folders, and reclaims. What cannot be read or deleted is logged and left.
     *
     * @return all folders that were there, by name
     */
    public List<Found> reclaim(final Mode mode) {
        final List<Found> all = new ArrayList<>();
        for (final Path root : roots()) {
            try {
                all.add(reclaim(root, mode));
            } catch (final NoSuchFileException e) {
                LOG.debug("{} was deleted by someone else", root, e);
            } catch (final IOException e) {
                LOG.warn("Cannot reclaim {}: {}", root, e.toString());
            }
        }
        if (mode.deletes()) {
            deleteIfEmpty();
        }
        return all;
    }

    private List<Path> roots() {
        try {
            if (!PrivateDirectory.isOwn(directory)) {
                return List.of();
            }
            try (Stream<Path> entries = Files.list(directory)) {
                return entries.filter(AbandonedFolders::isFolder).sorted().toList();
            }
        } catch (final IOException e) {
            LOG.warn("Cannot list {}: {}", directory, e.toString());
            return List.of();
        }
    }

    /** Whatever else lies there is not ours. */
    private static boolean isFolder(final Path root) {
        return Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)
                && Stream.of(FolderOwner.FILE, FilePool.POOL, FilePool.APPS)
                        .anyMatch(part -> Files.exists(root.resolve(part)));
    }

    private static Found reclaim(final Path root, final Mode mode) throws IOException {
        if (!Files.exists(root.resolve(FolderOwner.FILE)) && !isOfNobody(root)) {
            return kept(root, "it has no owner, but was changed within a day");
        }
        final Optional<FolderOwner> cleaner = FolderOwner.tryTake(root);
        if (cleaner.isEmpty()) {
            return kept(root, "a living process owns it");
        }
        try {
            final Duration wait = cleaner.get().waits(root).orElse(Duration.ZERO);
            if (wait.compareTo(Duration.ZERO) > 0 && !mode.takesWaiting()) {
                return kept(
                        root, "its NodeManager may come back within " + wait.toSeconds() + " s");
            }
            return reclaim(FilePool.abandoned(root, cleaner.get()), mode);
        } finally {
            cleaner.get().release();
        }
    }

    private static boolean isOfNobody(final Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            final Instant limit = Instant.now().minus(UNKNOWN_OWNER);
            return all.allMatch(path -> path.toFile().lastModified() < limit.toEpochMilli());
        }
    }

    private static Found reclaim(final FilePool folder, final Mode mode) throws IOException {
        final long before = folder.usedBytes();
        final long held = folder.heldBytes();
        if (mode.deletes()) {
            folder.deleteAll();
            folder.deleteEmpty();
            LOG.info("Reclaimed {}: {} bytes", folder.root(), before - held);
        }
        return new Found(
                folder.root(), before - held, held, held == 0 ? "" : "tasks that run hold it");
    }

    private static Found kept(final Path root, final String reason) throws IOException {
        return new Found(root, 0, FilePool.usedBytes(root), reason);
    }

    private void deleteIfEmpty() {
        try {
            Files.deleteIfExists(directory);
        } catch (final DirectoryNotEmptyException e) {
            LOG.debug("{} is in use", directory, e);
        } catch (final IOException e) {
            LOG.warn("Cannot delete {}: {}", directory, e.toString());
        }
    }
}
