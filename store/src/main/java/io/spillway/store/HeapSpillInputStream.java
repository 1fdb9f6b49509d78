// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.InputStream;
import java.util.List;
import java.util.Objects;

/** Reads a range of a sequence of equal chunks. One thread. */
final class HeapSpillInputStream extends InputStream {
    private final List<byte[]> chunks;
    private final int chunkLength;
    private final long end;
    private long position;

    HeapSpillInputStream(
            final List<byte[]> chunks,
            final int chunkLength,
            final long offset,
            final long length) {
        this.chunks = chunks;
        this.chunkLength = chunkLength;
        this.position = offset;
        this.end = offset + length;
    }

    @Override
    public int read() {
        if (position == end) {
            return -1;
        }
        final byte[] chunk = chunks.get((int) (position / chunkLength));
        return chunk[(int) (position++ % chunkLength)] & 0xFF;
    }

    @Override
    public int read(final byte[] buffer, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, buffer.length);
        if (length == 0) {
            return 0;
        }
        if (position == end) {
            return -1;
        }
        final int wanted = (int) Math.min(length, end - position);
        int copied = 0;
        while (copied < wanted) {
            final int at = (int) (position % chunkLength);
            final int piece = Math.min(wanted - copied, chunkLength - at);
            final byte[] chunk = chunks.get((int) (position / chunkLength));
            System.arraycopy(chunk, at, buffer, offset + copied, piece);
            position += piece;
            copied += piece;
        }
        return copied;
    }

    @Override
    public long skip(final long count) {
        final long skipped = Math.max(0, Math.min(count, end - position));
        position += skipped;
        return skipped;
    }

    @Override
    public int available() {
        return (int) Math.min(Integer.MAX_VALUE, end - position);
    }
}
