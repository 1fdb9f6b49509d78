// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.transport.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Memory for the headers of messages, outside the heap, used again and again. Used by the thread of
 * UCX.
 */
final class HeaderPool {
    /** Above that, memory goes back to the system: a burst does not last. */
    private static final int MAX_KEPT = 4096;

    private final DirectMemory memory;
    private final Deque<ByteBuffer> kept = new ArrayDeque<>();

    HeaderPool(final DirectMemory memory) {
        this.memory = memory;
    }

    /**
     * An empty one, which its holder gives back by {@link #putBack} when UCX does not read it any
     * more.
     *
     * @throws OutOfMemoryError where there is no memory for it
     */
    ByteBuffer take() {
        final ByteBuffer header = kept.poll();
        return header == null ? memory.allocate(Envelope.MAX_MESSAGE_HEADER) : header.clear();
    }

    void putBack(final ByteBuffer header) {
        if (kept.size() < MAX_KEPT) {
            kept.push(header);
        }
    }
}
