// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import io.spillway.protocol.LogLimiter;
import io.spillway.thread.Backoff;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import java.lang.management.ManagementFactory;
import java.nio.file.FileSystemException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does when its process, or its host, has no file descriptors left. A map output is
 * sound then: the files that are kept open only to be asked for again are closed, and it is opened
 * once more. Where answers that are on their way hold all descriptors, their end is waited for, but
 * not for long: then the reducer is answered that the node is busy, and asks again.
 *
 * <p>From then on fewer files are kept open, for others in this process need descriptors too; a
 * minute without a shortage doubles their number again. Thread-safe.
 */
final class DescriptorShortage {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorShortage.class);

    /** What the system says of EMFILE and ENFILE, in the exceptions of the JDK and of Hadoop. */
    private static final String NO_DESCRIPTORS = "oo many open files";

    private static final Backoff WAITS = Backoff.doubling(10, 160);
    private static final int MOST_TRIES = 12;
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** A file in the cache is worth less than a connection, but for the newest. */
    private static final int LEAST_FILES = 1;

    /** Opens a map output. */
    @FunctionalInterface
    interface Opening<T> {
        T open() throws FetchException;
    }

    private final LruCache<?, ?> openFiles;
    private final long mostFiles;
    private final LogLimiter warnings = new LogLimiter(LOG, 1);
    private final AtomicLong lastNanos = new AtomicLong();

    /**
     * Creates what frees descriptors.
     *
     * @param openFiles the files that are kept open, each of weight 1
     * @param mostFiles how many are kept open where there is no shortage
     */
    DescriptorShortage(final LruCache<?, ?> openFiles, final long mostFiles) {
        this.openFiles = openFiles;
        this.mostFiles = mostFiles;
    }

    /** Whether something has failed for want of descriptors. */
    static boolean isCauseOf(final Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            final String text =
                    cause instanceof FileSystemException file
                            ? file.getReason()
                            : cause.getMessage();
            if (text != null && text.contains(NO_DESCRIPTORS)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Opens, and tries again after a shortage. May block for about a second.
     *
     * @throws FetchException with {@code BUSY} where the shortage lasts
     */
    <T> T retrying(final Opening<T> opening) throws FetchException {
        recover();
        for (int tries = 1; ; tries++) {
            try {
                return opening.open();
            } catch (final FetchException e) {
                if (!isCauseOf(e)) {
                    throw e;
                }
                free(e);
                if (tries == MOST_TRIES || !isWaited(tries)) {
                    throw new FetchException(
                            Reason.BUSY, "no file descriptors now: " + e.getMessage(), e);
                }
            }
        }
    }

    /** The first try after the files were closed is made at once. */
    private static boolean isWaited(final int tries) {
        try {
            Thread.sleep(tries == 1 ? 0 : WAITS.after(tries - 1));
            return true;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Closes the files that are kept open, and keeps fewer from now on. */
    void free(final Throwable cause) {
        lastNanos.set(System.nanoTime());
        final int closed = openFiles.size();
        if (closed > 0) {
            openFiles.limit(Math.max(LEAST_FILES, Math.min(closed, openFiles.limit()) / 2));
            openFiles.removeIf(key -> true);
        }
        warnings.warn(
                "Too many open files: the limit of this process is "
                        + limit()
                        + " (ulimit -n, LimitNOFILE of systemd). "
                        + closed
                        + " map outputs that were kept open are closed, from now on "
                        + openFiles.limit()
                        + " are ("
                        + NodeKeys.NODE_OPEN_FILES
                        + "="
                        + mostFiles
                        + "); reducers wait. A higher limit makes it faster: "
                        + cause.getMessage());
    }

    private static String limit() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.UnixOperatingSystemMXBean system
                ? Long.toString(system.getMaxFileDescriptorCount())
                : "unknown";
    }

    private void recover() {
        final long last = lastNanos.get();
        final long now = System.nanoTime();
        if (last != 0 && now - last > QUIET_NANOS && lastNanos.compareAndSet(last, now)) {
            openFiles.limit(Math.min(mostFiles, 2 * openFiles.limit()));
        }
    }
}
