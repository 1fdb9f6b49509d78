// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;

/** How one thread reads or writes one file of a store. */
abstract class FileAccess {
    /** Opens a file for one thread. */
    @FunctionalInterface
    interface Opener {
        /** The file stays the caller's. */
        FileAccess open(SpillFile file);
    }

    /** Writes all of a range of {@code bytes} at a position of the file. */
    abstract void write(long position, byte[] bytes, int offset, int length) throws IOException;

    /**
     * Reads at least one byte.
     *
     * @param end the length that the file must have
     * @return how many bytes were read, at most {@code length}
     * @throws EOFException when the file is shorter than {@code end}
     */
    abstract int read(long position, byte[] bytes, int offset, int length, long end)
            throws IOException;

    /** The length that the file comes to have when bytes are written up to {@code end}. */
    abstract long lengthFor(long end);

    /** Makes what was written as durable as the medium can. */
    abstract void force() throws IOException;

    /** Frees what the access took. Idempotent. */
    abstract void close();

    static EOFException cutShort(final long size, final long end) {
        return new EOFException(
                "the file's length="
                        + size
                        + ", expected at least "
                        + end
                        + "; was it cut short by someone else?");
    }

    /** By system calls, at positions. */
    static final class Calls extends FileAccess {
        private final RandomAccessFile file;

        Calls(final SpillFile file) {
            super();
            this.file = file.data();
        }

        @Override
        void write(final long position, final byte[] bytes, final int offset, final int length)
                throws IOException {
            synchronized (file) {
                file.seek(position);
                file.write(bytes, offset, length);
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
            final int count;
            synchronized (file) {
                file.seek(position);
                count = file.read(bytes, offset, length);
            }
            if (count <= 0) {
                throw cutShort(file.length(), end);
            }
            return count;
        }

        @Override
        long lengthFor(final long end) {
            return end;
        }

        /** Spills need not outlive the host. */
        @Override
        void force() {}

        @Override
        void close() {}
    }
}
