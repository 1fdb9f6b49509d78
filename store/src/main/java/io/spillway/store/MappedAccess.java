// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import io.spillway.thread.Uninterrupted;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import jdk.nio.mapmode.ExtendedMapMode;
import org.apache.hadoop.util.CleanerUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads or writes a file through a window mapped into memory, as byte-addressable NVM is used: with
 * {@link ExtendedMapMode#READ_WRITE_SYNC} on a DAX mount, else by the same code without sync.
 *
 * <p>The window is small and unmapped before the next one: YARN's physical-memory check counts
 * mapped pages as memory of the task.
 *
 * <p>A file that someone else cuts short is noticed by its length, before each access. In the
 * instant between, the JVM meets the signal with an {@link InternalError}, here or a little later:
 * the task fails, the JVM does not crash.
 */
final class MappedAccess extends FileAccess {
    private static final Logger LOG = LoggerFactory.getLogger(MappedAccess.class);

    private static final int WINDOW = 4 << 20;

    private final RandomAccessFile file;
    private final FileChannel.MapMode mode;
    private MappedByteBuffer window;
    private long start;

    private MappedAccess(final SpillFile file, final FileChannel.MapMode mode) {
        super();
        this.file = file.data();
        this.mode = mode;
    }

    /** Opens files with sync, where {@code sync}. */
    static Opener opener(final boolean sync) {
        final FileChannel.MapMode mode =
                sync ? ExtendedMapMode.READ_WRITE_SYNC : FileChannel.MapMode.READ_WRITE;
        return file -> new MappedAccess(file, mode);
    }

    /** Whether a file can be mapped with sync: whether its mount is DAX. */
    static boolean canSync(final RandomAccessFile file) {
        try {
            CleanerUtil.getCleaner()
                    .freeBuffer(map(file, ExtendedMapMode.READ_WRITE_SYNC, 0, WINDOW));
            return true;
        } catch (final IOException | UnsupportedOperationException e) {
            LOG.debug("No mapping with sync", e);
            return false;
        }
    }

    @Override
    void write(final long position, final byte[] bytes, final int offset, final int length)
            throws IOException {
        int done = 0;
        while (done < length) {
            final long at = position + done;
            move(at, lengthFor(at + 1));
            final int index = (int) (at - start);
            final int piece = Math.min(length - done, WINDOW - index);
            requireLength(at + piece);
            try {
                window.put(index, bytes, offset + done, piece);
            } catch (final InternalError e) {
                throw fault(at, e);
            }
            done += piece;
        }
    }

    @Override
    int read(
            final long position,
            final byte[] bytes,
            final int offset,
            final int length,
            final long end)
            throws IOException {
        requireLength(end);
        move(position, end);
        final int index = (int) (position - start);
        final int piece = Math.min(length, window.capacity() - index);
        try {
            window.get(index, bytes, offset, piece);
        } catch (final InternalError e) {
            throw fault(position, e);
        }
        return piece;
    }

    private void requireLength(final long end) throws IOException {
        if (file.length() < end) {
            throw cutShort(file.length(), end);
        }
    }

    /** Between the check of the length and the access, someone else may cut the file short. */
    private static IOException fault(final long position, final InternalError cause) {
        return new IOException(
                "no page at position=" + position + "; was the file cut short by someone else?",
                cause);
    }

    /** Mapping beyond the end would make the file longer: a window of a reader is cut there. */
    private void move(final long position, final long end) throws IOException {
        final long wanted = position / WINDOW * WINDOW;
        if (window != null && wanted == start && position - start < window.capacity()) {
            return;
        }
        force();
        close();
        window = map(file, mode, wanted, Math.min(WINDOW, end - wanted));
        start = wanted;
    }

    private static MappedByteBuffer map(
            final RandomAccessFile file,
            final FileChannel.MapMode mode,
            final long position,
            final long length)
            throws IOException {
        return Uninterrupted.call(() -> file.getChannel().map(mode, position, length));
    }

    @Override
    long lengthFor(final long end) {
        return (end + WINDOW - 1) / WINDOW * WINDOW;
    }

    @Override
    void force() {
        if (window != null && mode == ExtendedMapMode.READ_WRITE_SYNC) {
            window.force();
        }
    }

    @Override
    void close() {
        if (window == null) {
            return;
        }
        final MappedByteBuffer old = window;
        window = null;
        try {
            CleanerUtil.getCleaner().freeBuffer(old);
        } catch (final IOException e) {
            LOG.debug("A window stays mapped until it is collected", e);
        }
    }
}
