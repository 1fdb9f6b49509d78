// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** Reads a range of a spill. One thread; the spill may have several of these. */
abstract class SpillInputStream extends InputStream {
    private final long end;
    private long position;

    /** The range has {@code length} bytes from {@code offset} on. */
    SpillInputStream(final long offset, final long length) {
        super();
        this.position = offset;
        this.end = offset + length;
    }

    /**
     * Reads at least one byte at a position of the spill.
     *
     * @param length the most bytes, all of which the range has
     * @param rangeEnd the length that the spill must have
     */
    abstract int read(long at, byte[] buffer, int offset, int length, long rangeEnd)
            throws IOException;

    @Override
    public final int read() throws IOException {
        final byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
    }

    @Override
    public final int read(final byte[] buffer, final int offset, final int length)
            throws IOException {
        Objects.checkFromIndexSize(offset, length, buffer.length);
        if (length == 0) {
            return 0;
        }
        if (position == end) {
            return -1;
        }
        final int wanted = (int) Math.min(length, end - position);
        final int count = read(position, buffer, offset, wanted, end);
        position += count;
        return count;
    }

    @Override
    public final long skip(final long count) {
        final long skipped = Math.max(0, Math.min(count, end - position));
        position += skipped;
        return skipped;
    }

    @Override
    public final int available() {
        return (int) Math.min(Integer.MAX_VALUE, end - position);
    }
}
