// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A piece of a segment in memory. It holds references on that memory: the caller that got it from
 * {@link ServedSegment#cached} must {@link #close} it once, after the last byte went out or sending
 * failed. Thread-safe.
 */
public interface CachedBytes extends AutoCloseable {
    /**
     * The piece: the remaining bytes of these buffers, in this order. They are the caller's to
     * read, and not to write to; not after {@link #close}.
     */
    List<ByteBuffer> buffers();

    /** Tells that all of the piece went out: no further request for it is expected. */
    void sent();

    @Override
    void close();
}
