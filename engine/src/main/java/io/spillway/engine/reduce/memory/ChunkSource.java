// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

import java.io.Closeable;
import java.io.IOException;

/** Gives one segment's bytes in order, chunk by chunk, to the task thread. */
public interface ChunkSource extends Closeable {
    /** The bytes that all chunks together have. */
    long totalBytes();

    /**
     * The next chunk, which is the caller's until it releases it. May block. The caller holds no
     * more than one chunk at a time.
     *
     * @return null at the end; then the segment's checksum has been found right
     * @throws IOException when the source is lost or corrupt
     */
    Chunk next() throws IOException;

    /** Gives a chunk back. */
    void release(Chunk chunk);

    @Override
    void close();
}
