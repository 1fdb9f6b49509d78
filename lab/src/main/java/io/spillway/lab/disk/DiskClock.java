// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.disk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * The time at which a disk has done what all processes of this machine have given it, in a file
 * that they map: a number of nanoseconds as {@link System#nanoTime} counts them, which on Linux is
 * the same for all processes. Thread-safe.
 */
final class DiskClock {
    private static final VarHandle TIME =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What a host's cache keeps back: a writer does not wait for this much of the disk's time. */
    private static final long KEPT_BACK = TimeUnit.MILLISECONDS.toNanos(100);

    /** No writers can have so much before them: the file is of an earlier start of the machine. */
    private static final long TOO_FAR = TimeUnit.HOURS.toNanos(1);

    private final ByteBuffer file;
    private final double nanosPerByte;

    /**
     * Opens the clock, and makes its file where there is none.
     *
     * @param bytesPerSecond that the disk takes
     */
    DiskClock(final Path path, final long bytesPerSecond) throws IOException {
        this.nanosPerByte = NANOS / bytesPerSecond;
        try (FileChannel channel =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            this.file = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        }
    }

    /**
     * Waits until the disk has taken bytes, after all that others gave it before.
     *
     * @throws InterruptedIOException when the thread is interrupted
     */
    void take(final long bytes) throws InterruptedIOException {
        final long wait = book((long) (bytes * nanosPerByte));
        if (wait <= 0) {
            return;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(wait);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the disk was busy");
        }
    }

    private long book(final long nanos) {
        while (true) {
            final long now = System.nanoTime();
            final long before = (long) TIME.getVolatile(file, 0);
            final long busy = before - now;
            final long done = (busy > 0 && busy < TOO_FAR ? before : now) + nanos;
            if (TIME.compareAndSet(file, 0, before, done)) {
                return done - now - KEPT_BACK;
            }
        }
    }
}
