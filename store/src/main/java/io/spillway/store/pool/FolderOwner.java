// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.host.HostTime;
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
 * The file says when the owner gave its last sign of life, and for how long from then on the folder
 * waits for an owner that comes back. The time is the host's ({@link HostTime}), as a wall clock
 * that is set must not end the wait. Where the kernel has no such time, and in files of versions
 * before, it is the file's time of modification. Thread-safe.
 */
final class FolderOwner {
    /** The file's name. */
    static final String FILE = "owner";

    /** A NodeManager that is started again may have to wait for the one before, or a cleaner. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Pattern KEEP = Pattern.compile("keep\\.seconds=(\\d{1,9})");

    private static final Pattern SIGN =
            Pattern.compile("boot=([0-9a-f-]{1,64})\\R" + "uptime\\.seconds=(-?\\d{1,12})");

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

    /** Whether a living process, of whatever namespace, owns a folder. */
    static boolean isHeld(final Path root) {
        try {
            return PathLock.isHeld(root.resolve(FILE));
        } catch (final IOException e) {
            return false;
        }
    }

    Duration keep() {
        return keep;
    }

    /** Whether a folder is still the one that was taken. */
    boolean owns(final Path root) {
        return lock.isOf(root.resolve(FILE));
    }

    /** Says that the owner lives. */
    synchronized void giveSign() throws IOException {
        final String sign =
                HostTime.now()
                        .map(
                                now ->
                                        "boot="
                                                + now.boot()
                                                + "\nuptime.seconds="
                                                + now.seconds()
                                                + "\n")
                        .orElse("");
        lock.write(
                String.format(
                                Locale.ROOT,
                                "process=%d\nkeep.seconds=%d\n",
                                ProcessHandle.current().pid(),
                                keep.toSeconds())
                        + sign);
    }

    /**
     * For how long from now on the folder waits for its last owner, 0 or less when it does not wait
     * any more; nothing when it never had one.
     */
    Optional<Duration> waits(final Path root) throws IOException {
        final String text = lock.read();
        final Matcher written = KEEP.matcher(text);
        if (!written.find()) {
            return Optional.empty();
        }
        final Duration whole = Duration.ofSeconds(Long.parseLong(written.group(1)));
        return Optional.of(whole.minus(sinceSign(text, root)));
    }

    private static Duration sinceSign(final String text, final Path root) throws IOException {
        final Matcher sign = SIGN.matcher(text);
        final Optional<HostTime> now = HostTime.now();
        if (now.isPresent() && sign.find()) {
            final HostTime then = new HostTime(sign.group(1), Long.parseLong(sign.group(2)));
            return Duration.ofSeconds(now.get().secondsSince(then));
        }
        final Instant modified = Files.getLastModifiedTime(root.resolve(FILE)).toInstant();
        return Duration.between(modified, Instant.now());
    }

    /** Leaves the folder to the next owner. Idempotent. */
    synchronized void release() {
        lock.close();
    }
}
