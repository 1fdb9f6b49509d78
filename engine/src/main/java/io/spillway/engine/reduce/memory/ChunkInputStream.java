// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

import java.io.IOException;
import java.io.InputStream;

/** A segment's chunks as a stream, for codecs. One thread. */
public final class ChunkInputStream extends InputStream {
    private final ChunkSource source;
    private Chunk chunk;

    /** The bytes of the chunk that were read. */
    private int position;

    private boolean ended;

    public ChunkInputStream(final ChunkSource source) {
        super();
        this.source = source;
    }

    @Override
    public int read() throws IOException {
        return atEnd() ? -1 : chunk.bytes()[chunk.offset() + position++] & 0xFF;
    }

    @Override
    public int read(final byte[] buffer, final int offset, final int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (atEnd()) {
            return -1;
        }
        final int count = Math.min(length, chunk.length() - position);
        System.arraycopy(chunk.bytes(), chunk.offset() + position, buffer, offset, count);
        position += count;
        return count;
    }

    private boolean atEnd() throws IOException {
        while (!ended && (chunk == null || position == chunk.length())) {
            releaseChunk();
            chunk = source.next();
            position = 0;
            ended = chunk == null;
        }
        return ended;
    }

    private void releaseChunk() {
        if (chunk != null) {
            final Chunk consumed = chunk;
            chunk = null;
            source.release(consumed);
        }
    }

    @Override
    public void close() {
        ended = true;
        releaseChunk();
        source.close();
    }
}
