// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.nio.ByteBuffer;

/**
 * Grants memory outside the heap. Both ends of a transport take one when they are made, and ask it
 * before each of their allocations. Thread-safe.
 */
@FunctionalInterface
public interface DirectMemory {
    /** Grants everything: only the JVM and the system set limits. */
    DirectMemory SYSTEM = bytes -> {};

    /**
     * Asks for an allocation that the caller then makes itself.
     *
     * @param bytes the size, at least 0
     * @throws OutOfMemoryError where it is not granted; as where the JVM has no more, it may strike
     *     any allocation
     */
    void request(int bytes);

    /**
     * Allocates a buffer outside the heap.
     *
     * @throws OutOfMemoryError where there is no memory
     */
    default ByteBuffer allocate(final int bytes) {
        request(bytes);
        return ByteBuffer.allocateDirect(bytes);
    }
}
