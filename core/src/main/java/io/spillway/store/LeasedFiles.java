package io.spillway.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that one task attempt has from a {@link RecycledFolder}. A file goes back to the pool
 * when it is closed, unless it was kept. Thread-safe.
 */
public final class LeasedFiles implements SpillFiles {
    private static final Logger LOG = LoggerFactory.getLogger(LeasedFiles.class);

    private static final String LOCK = "lock";
    private static final String COMMITTED = "committed";
    private static final String DATA_SUFFIX = ".data";

    private final RecycledFolder folder;
    private final Path own;
    private final Room room;
    private final FileChannel lock;
    private final List<Leased> open = new ArrayList<>();

    LeasedFiles(final RecycledFolder folder, final Path own, final Room room) throws IOException {
        this.folder = folder;
        this.own = own;
        this.room = room;
        this.lock =
                FileChannel.open(
                        own.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lockOrClose();
    }

    private void lockOrClose() throws IOException {
        try {
            if (lock.tryLock() != null) {
                return;
            }
        } catch (final OverlappingFileLockException e) {
            LOG.debug("{} is locked by this process", own, e);
        }
        lock.close();
        throw new IOException(own + " is in use by another process");
    }

    /** Whether a folder's attempt runs no more, and has not committed. */
    static boolean isDead(final Path attempt) throws IOException {
        return !Files.exists(attempt.resolve(COMMITTED)) && !isHeld(attempt);
    }

    /** Whether a process holds the lock of a folder's attempt. */
    static boolean isHeld(final Path attempt) throws IOException {
        try (FileChannel channel =
                FileChannel.open(attempt.resolve(LOCK), StandardOpenOption.WRITE)) {
            return channel.tryLock() == null;
        } catch (final NoSuchFileException e) {
            return false;
        } catch (final OverlappingFileLockException e) {
            return true;
        }
    }

    static boolean isData(final Path file) {
        return file.getFileName().toString().endsWith(DATA_SUFFIX);
    }

    @Override
    public SpillFile open(final String name, final long expectedBytes) throws IOException {
        final Path path = own.resolve(name + DATA_SUFFIX);
        final boolean warm = folder.take(expectedBytes, path);
        try {
            if (!warm) {
                Files.createFile(
                        path,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-r-----")));
            }
            final FileChannel channel =
                    FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            final Leased file = new Leased(path, channel);
            remember(file);
            file.reserve(expectedBytes);
            return file;
        } catch (final IOException e) {
            giveUp(path);
            throw e;
        }
    }

    private void giveUp(final Path path) {
        final List<Leased> mine;
        synchronized (this) {
            mine = open.stream().filter(file -> file.path.equals(path)).toList();
        }
        mine.forEach(Leased::close);
        if (Files.exists(path)) {
            folder.giveBack(path);
        }
    }

    private synchronized void remember(final Leased file) {
        open.add(file);
    }

    private synchronized void forget(final Leased file) {
        open.remove(file);
    }

    /**
     * Marks the attempt's files as worth keeping when its process has ended: those open now stay
     * where they are until the job ends.
     *
     * @throws IOException when the mark cannot be set
     */
    public void commit() throws IOException {
        final List<Leased> left;
        synchronized (this) {
            left = List.copyOf(open);
        }
        for (final Leased file : left) {
            file.keep();
        }
        Files.write(own.resolve(COMMITTED), new byte[0]);
    }

    /** Gives back all files but the kept ones, and the lock. */
    @Override
    public void close() {
        final List<Leased> left;
        synchronized (this) {
            left = List.copyOf(open);
        }
        left.forEach(Leased::close);
        try {
            lock.close();
        } catch (final IOException e) {
            LOG.debug("Closing the lock of {} failed", own, e);
        }
        if (!Files.exists(own.resolve(COMMITTED))) {
            deleteOwn();
        }
    }

    private void deleteOwn() {
        try {
            Files.deleteIfExists(own.resolve(LOCK));
            Files.deleteIfExists(own);
        } catch (final IOException e) {
            LOG.debug("{} stays until the job ends", own, e);
        }
    }

    private final class Leased implements SpillFile {
        private final Path path;
        private final FileChannel channel;
        private final AtomicBoolean closed = new AtomicBoolean();
        private long granted;

        Leased(final Path path, final FileChannel channel) throws IOException {
            this.path = path;
            this.channel = channel;
            this.granted = channel.size();
        }

        @Override
        public FileChannel channel() {
            return channel;
        }

        @Override
        public void reserve(final long length) throws IOException {
            if (length <= granted) {
                return;
            }
            final long allowed = room.grow(granted, length);
            folder.requireUnderLimit(allowed - channel.size());
            granted = allowed;
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
                channel.close();
            } catch (final IOException e) {
                LOG.debug("Closing {} failed", path, e);
            }
            if (Files.exists(path)) {
                folder.giveBack(path);
            }
        }

        /** Closes the file and leaves it where it is. */
        void keep() throws IOException {
            if (closed.compareAndSet(false, true)) {
                forget(this);
                channel.close();
            }
        }
    }
}
