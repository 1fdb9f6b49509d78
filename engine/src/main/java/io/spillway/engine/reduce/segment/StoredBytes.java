// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import java.io.Closeable;
import java.io.IOException;

/**
 * A segment that this attempt has put out of its memory, to be read back once. Its text says where
 * it is. One thread.
 */
public interface StoredBytes extends Closeable {
    /**
     * Reads exactly so many bytes.
     *
     * @param position of the first, in the segment
     * @throws IOException when there are fewer, or they cannot be read
     */
    void read(long position, byte[] target, int offset, int count) throws IOException;

    /** Frees what the segment takes. Idempotent. */
    @Override
    void close();
}
