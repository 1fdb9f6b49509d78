// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.FreeSpace;
import io.spillway.store.SpillFile;
import io.spillway.thread.Uninterrupted;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that one task attempt has from a {@link FilePool}. A file goes back to the pool when it
 * is closed, unless it was kept. Thread-safe.
 */
public final class FileLease implements Lease {
    private static final Logger LOG = LoggerFactory.getLogger(FileLease.class);

    static final String LOCK = "lock";
    static final String COMMITTED = "committed";

    /** The node looks for a moment whether a task lives. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    private final FolderSpace space;
    private final Path own;
    private final FreeSpace room;
    private final PathLock lock;
    private final List<Leased> open = new ArrayList<>();

    FileLease(final FolderSpace space, final Path own, final FreeSpace room) throws IOException {
        this.space = space;
        this.own = own;
        this.room = room;
        this.lock = PathLock.take(own.resolve(LOCK), PATIENCE);
    }

    /** Whether a folder's attempt runs no more, and has not committed. */
    static boolean isDead(final Path attempt) throws IOException {
        return !Files.exists(attempt.resolve(COMMITTED)) && !isHeld(attempt);
    }

    /** Whether a process holds the lock of a folder's attempt. */
    static boolean isHeld(final Path attempt) throws IOException {
        return PathLock.isHeld(attempt.resolve(LOCK));
    }

    @Override
    public SpillFile open(final String name, final long expectedBytes) throws IOException {
        final Path path = space.take(own, name, expectedBytes, room);
        try {
            final Leased file = new Leased(name, path, expectedBytes);
            remember(file);
            return file;
        } catch (final IOException e) {
            space.giveBack(path);
            throw e;
        }
    }

    private synchronized void remember(final Leased file) {
        open.add(file);
    }

    private synchronized void forget(final Leased file) {
        open.remove(file);
    }

    @Override
    public void commit() throws IOException {
        final List<Leased> left;
        synchronized (this) {
            left = List.copyOf(open);
        }
        for (final Leased file : left) {
            file.keep();
        }
        Uninterrupted.call(() -> Files.write(own.resolve(COMMITTED), new byte[0]));
    }

    /** Gives back all files but the kept ones, and the lock. */
    @Override
    public void close() {
        final List<Leased> left;
        synchronized (this) {
            left = List.copyOf(open);
        }
        for (final Leased file : left) {
            file.close();
        }
        lock.close();
        deleteUncommitted(own);
    }

    /** An attempt has ended and holds its lock no more: of one that left nothing, nothing stays. */
    static void deleteUncommitted(final Path own) {
        if (Files.exists(own.resolve(COMMITTED))) {
            return;
        }
        try {
            Files.deleteIfExists(own.resolve(LOCK));
            Files.deleteIfExists(own);
        } catch (final IOException e) {
            LOG.debug("{} stays until the job ends", own, e);
        }
    }

    private final class Leased implements SpillFile {
        private final String name;
        private final RandomAccessFile data;
        private final AtomicBoolean closed = new AtomicBoolean();
        private volatile Path path;
        private long granted;

        Leased(final String name, final Path path, final long expectedBytes) throws IOException {
            this.name = name;
            this.path = path;
            this.data = new RandomAccessFile(path.toFile(), "rw");
            this.granted = Math.max(expectedBytes, data.length());
        }

        @Override
        public RandomAccessFile data() {
            return data;
        }

        @Override
        public void reserve(final long length) throws IOException {
            if (length > granted) {
                path = space.grow(path, name, length, room);
                granted = LeasedName.granted(path);
            }
        }

        @Override
        public void complete(final long length) throws IOException {
            path = space.complete(path, name, data, length);
        }

        @Override
        public Optional<Path> path() {
            return Optional.of(path);
        }

        @Override
        public void close() {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            forget(this);
            try {
                data.close();
            } catch (final IOException e) {
                LOG.debug("Closing {} failed", path, e);
            }
            if (Files.exists(path)) {
                space.giveBack(path);
            }
        }

        /** Closes the file and leaves it where it is. */
        void keep() throws IOException {
            if (closed.compareAndSet(false, true)) {
                forget(this);
                data.close();
            }
        }
    }
}
