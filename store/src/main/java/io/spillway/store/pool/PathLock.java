// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.thread.Uninterrupted;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A lock on a file that one holder on the host has at a time; the kernel frees it however the
 * process ends. Thread-safe.
 *
 * <p>A process loses its lock as soon as it closes any descriptor of the file. Therefore no code of
 * a process opens a file that the process has locked: {@link #TAKEN} knows them, and what the file
 * holds is written through the lock.
 */
final class PathLock implements Closeable {
    private static final Set<Path> TAKEN = ConcurrentHashMap.newKeySet();

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final long MAX_PAUSE_MILLIS = 4;

    private static final int MAX_TEXT = 1 << 10;

    private static final Set<StandardOpenOption> EXISTING =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private static final Set<StandardOpenOption> ANY =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);

    private final Path path;
    private final FileChannel channel;

    /** Names the file itself, whatever path it has. */
    private final Object key;

    private PathLock(final Path path, final FileChannel channel, final Object key) {
        this.path = path;
        this.channel = channel;
        this.key = key;
    }

    /**
     * Takes a lock, if it is free; makes the file where there is none.
     *
     * @throws IOException when the file cannot be opened or was deleted meanwhile
     */
    static Optional<PathLock> tryTake(final Path file) throws IOException {
        return tryTake(file, ANY);
    }

    /**
     * Takes a lock, and waits for it.
     *
     * @param patience the longest wait
     * @throws IOException when the file cannot be opened, or another holder keeps the lock
     */
    static PathLock take(final Path file, final Duration patience) throws IOException {
        final long deadline = System.nanoTime() + patience.toNanos();
        long pause = 1;
        while (true) {
            final Optional<PathLock> lock = tryTake(file);
            if (lock.isPresent()) {
                return lock.get();
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new IOException(file + " is in use by another holder");
            }
            sleep(pause);
            pause = Math.min(2 * pause, MAX_PAUSE_MILLIS);
        }
    }

    private static void sleep(final long millis) {
        Uninterrupted.await(
                () -> {
                    TimeUnit.MILLISECONDS.sleep(millis);
                    return null;
                });
    }

    /** Whether a living holder, of this process or of another, has the lock. */
    static boolean isHeld(final Path file) throws IOException {
        try {
            final Optional<PathLock> probe = tryTake(file, EXISTING);
            probe.ifPresent(PathLock::close);
            return probe.isEmpty();
        } catch (final NoSuchFileException e) {
            return false;
        }
    }

    private static Optional<PathLock> tryTake(
            final Path file, final Set<StandardOpenOption> options) throws IOException {
        final Path path = file.toAbsolutePath().normalize();
        if (!TAKEN.add(path)) {
            return Optional.empty();
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(path, options, OWNER_ONLY);
            final FileChannel opened = channel;
            final Object key = keyOf(path);
            taken = Uninterrupted.call(() -> lock(path, opened, key));
            return taken ? Optional.of(new PathLock(path, channel, key)) : Optional.empty();
        } finally {
            if (!taken) {
                release(path, channel);
            }
        }
    }

    private static boolean lock(final Path path, final FileChannel channel, final Object opened)
            throws IOException {
        try {
            final FileLock lock = channel.tryLock();
            if (lock == null) {
                return false;
            }
        } catch (final OverlappingFileLockException e) {
            return false; // held by this process under another name of the path
        }
        if (!Objects.equals(opened, keyOf(path))) {
            throw new FileSystemException(path.toString(), null, "was deleted and made again");
        }
        return true;
    }

    private static Object keyOf(final Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    private static void release(final Path path, final FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (final IOException e) {
            throw new IllegalStateException("closing the lock " + path + " failed", e);
        } finally {
            TAKEN.remove(path);
        }
    }

    /** Whether the file that is locked is still the one of this path. */
    boolean isOf(final Path file) {
        try {
            return Objects.equals(key, keyOf(file));
        } catch (final IOException e) {
            return false;
        }
    }

    /** What the file holds. */
    String read() throws IOException {
        return Uninterrupted.call(this::readText);
    }

    private String readText() throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(channel.size(), MAX_TEXT));
        int count = 0;
        while (count >= 0 && bytes.hasRemaining()) {
            count = channel.read(bytes, bytes.position());
        }
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    }

    /** Replaces what the file holds; its time of modification becomes now. */
    void write(final String text) throws IOException {
        Uninterrupted.call(() -> replace(text));
    }

    private Void replace(final String text) throws IOException {
        final ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes, bytes.position());
        }
        channel.truncate(bytes.limit());
        return null;
    }

    /** Frees the lock; the file stays. Idempotent. */
    @Override
    public void close() {
        if (channel.isOpen()) {
            release(path, channel);
        }
    }
}
