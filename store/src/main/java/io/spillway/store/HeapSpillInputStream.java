// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.util.List;

/** Reads a range of a sequence of equal chunks. One thread. */
final class HeapSpillInputStream extends SpillInputStream {
    private final List<byte[]> chunks;
    private final int chunkLength;

    HeapSpillInputStream(
            final List<byte[]> chunks,
            final int chunkLength,
            final long offset,
            final long length) {
        super(offset, length);
        this.chunks = chunks;
        this.chunkLength = chunkLength;
    }

    @Override
    int read(
            final long at,
            final byte[] buffer,
            final int offset,
            final int length,
            final long rangeEnd) {
        int copied = 0;
        while (copied < length) {
            final int start = (int) ((at + copied) % chunkLength);
            final int piece = Math.min(length - copied, chunkLength - start);
            final byte[] chunk = chunks.get((int) ((at + copied) / chunkLength));
            System.arraycopy(chunk, start, buffer, offset + copied, piece);
            copied += piece;
        }
        return copied;
    }
}
