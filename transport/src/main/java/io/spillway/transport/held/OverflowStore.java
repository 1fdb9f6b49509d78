// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.protocol.BlockingThreads;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.serve.SegmentSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded number of bytes in files, for pieces of outputs that memory has no room for. Writes are
 * made by threads of its own. After one that has failed, as on a file system that is full, it takes
 * nothing for some seconds. Thread-safe.
 */
public final class OverflowStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OverflowStore.class);

    private static final int WRITERS = 2;
    private static final long PAUSE_SECONDS = 10;

    /** Of the bytes that are free when it is opened, what it takes where no limit is set. */
    private static final double AUTO_SHARE = 0.9;

    /** Makes a file that nothing else has open; it is gone when it is closed. */
    @FunctionalInterface
    interface Opener {
        FileChannel open() throws IOException;
    }

    /** The file of a job, and how many outputs have it. */
    private static final class Shared {
        private final OverflowFile file;
        private int users;

        Shared(final OverflowFile file) {
            this.file = file;
        }
    }

    private final String name;
    private final long limit;
    private final Opener opener;
    private final LongSupplier clock;
    private final ExecutorService writers = BlockingThreads.newPool("spillway-overflow", WRITERS);
    private final Map<String, Shared> files = new HashMap<>();
    private long used;
    private long failures;

    /** Of the clock. */
    private long pausedUntil;

    private boolean paused;
    private boolean closed;

    OverflowStore(
            final String name, final long limit, final Opener opener, final LongSupplier clock) {
        this.name = name;
        this.limit = limit;
        this.opener = opener;
        this.clock = clock;
    }

    /**
     * Opens a store in a directory that exists, in a folder of this process's user alone.
     *
     * @param limit the most bytes; without one, nine tenths of what is free now
     * @throws IOException that names the directory, where it is missing or cannot be written to
     */
    public static OverflowStore in(final Path directory, final OptionalLong limit)
            throws IOException {
        final OverflowDirectory own = OverflowDirectory.in(directory);
        final long bytes = limit.isPresent() ? limit.getAsLong() : (long) (AUTO_SHARE * own.free());
        return new OverflowStore(own.toString(), bytes, own::open, System::nanoTime);
    }

    /**
     * The most bytes of files; for some seconds after a write has failed, no more than are used.
     */
    public synchronized long capacity() {
        return isPaused() ? used : limit;
    }

    /** The bytes of files that outputs have taken. */
    public synchronized long used() {
        return used;
    }

    /** How many writes have failed. */
    public synchronized long failures() {
        return failures;
    }

    /** The most bytes, whatever has failed. */
    long limit() {
        return limit;
    }

    private boolean isPaused() {
        paused = paused && clock.getAsLong() - pausedUntil < 0;
        return paused;
    }

    // ---- files ---------------------------------------------------------------------------------

    /** The file of a job, to be {@linkplain OverflowFile#release released}. */
    synchronized OverflowFile fileOf(final String jobId) {
        final Shared shared =
                files.computeIfAbsent(
                        jobId,
                        id -> {
                            LOG.info("{}: memory is full, further outputs go to {}", id, name);
                            return new Shared(new OverflowFile(id, this, opener));
                        });
        shared.users++;
        return shared.file;
    }

    void release(final OverflowFile file) {
        synchronized (this) {
            final Shared shared = files.get(file.jobId());
            shared.users--;
            if (shared.users > 0) {
                return;
            }
            files.remove(file.jobId());
        }
        file.close();
    }

    /** Counts bytes of a file; returns whether there is room for them. */
    synchronized boolean charge(final long bytes) {
        if (closed || isPaused() || used + bytes > limit) {
            return false;
        }
        used += bytes;
        return true;
    }

    /** Counts bytes of a file no longer. */
    synchronized void discharge(final long bytes) {
        used -= bytes;
    }

    void close(final FileChannel channel) {
        try {
            channel.close();
        } catch (final IOException e) {
            LOG.warn("Closing a file in {} failed: {}", name, e.toString());
        }
    }

    // ---- writes --------------------------------------------------------------------------------

    /**
     * Writes a piece on another thread.
     *
     * @param bytes all that remains of each buffer; not to be touched before the end
     * @param end fails with {@code FULL} where they could not be written
     */
    void write(
            final FileRange range, final List<ByteBuffer> bytes, final SegmentSink.Completion end) {
        try {
            writers.execute(() -> writeNow(range, bytes, end));
        } catch (final RejectedExecutionException e) {
            end.failed(new FetchException(Reason.FULL, name + " is closed", e));
        }
    }

    private void writeNow(
            final FileRange range, final List<ByteBuffer> bytes, final SegmentSink.Completion end) {
        try {
            range.write(bytes);
        } catch (final IOException | RuntimeException | Error e) {
            failed(e);
            end.failed(new FetchException(Reason.FULL, name + ": " + e, e));
            return;
        }
        end.done();
    }

    private void failed(final Throwable cause) {
        final boolean isFirst;
        synchronized (this) {
            isFirst = !isPaused();
            failures++;
            paused = true;
            pausedUntil = clock.getAsLong() + TimeUnit.SECONDS.toNanos(PAUSE_SECONDS);
        }
        if (isFirst) {
            LOG.warn(
                    "{} takes nothing for {} s: a write has failed: {}",
                    name,
                    PAUSE_SECONDS,
                    cause.toString());
        }
        LOG.debug("A write to {} has failed", name, cause);
    }

    /** Ends the writes, and frees all files: what they held can be served no more. Idempotent. */
    @Override
    public void close() {
        final List<OverflowFile> open;
        synchronized (this) {
            closed = true;
            open = files.values().stream().map(shared -> shared.file).toList();
        }
        BlockingThreads.stop(writers);
        open.forEach(OverflowFile::close);
    }
}
