// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory that other processes of the same user and host can map by its path. It is sealed: no
 * process can make it shorter, so that reading it never raises SIGBUS. It has no name in a file
 * system: the kernel frees it when no process maps it or has it open, however they end. The path is
 * good while this process runs and has not closed the memory; mappings made before live on.
 *
 * <p>Works without {@link MpiWorld}, once {@link MpiLibrary#load} has loaded the native library.
 * All threads may use it, but for {@link #close}: nothing may touch the buffer, or a slice of it,
 * any more.
 *
 * <p>Source: memfd_create(2), fcntl(2) of Linux.
 */
public final class SharedMemory implements AutoCloseable {
    private final ByteBuffer memory;
    private final int size;
    private final int descriptor;
    private boolean closed;

    private SharedMemory(final ByteBuffer memory, final int size, final int descriptor) {
        this.memory = memory;
        this.size = size;
        this.descriptor = descriptor;
    }

    /**
     * Makes memory of zeros. The kernel takes pages when they are first written.
     *
     * @param name for people who read {@code /proc/PID/maps}; at most 249 bytes
     * @param bytes its size, above 0
     * @throws IOException if the kernel has no memory or no file descriptor left
     * @throws IllegalStateException if the native library is not loaded
     */
    public static SharedMemory create(final String name, final int bytes) throws IOException {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes=" + bytes + ", expected above 0");
        }
        MpiLibrary.requireLoaded();
        final ByteBuffer descriptor =
                ByteBuffer.allocateDirect(Integer.BYTES).order(ByteOrder.nativeOrder());
        final ByteBuffer memory = MpiCalls.shareMemory(name, bytes, descriptor);
        return new SharedMemory(memory, bytes, descriptor.getInt(0));
    }

    /**
     * The memory, as a direct buffer of its own position and limit.
     *
     * @throws IllegalStateException if it is closed
     */
    public synchronized ByteBuffer bytes() {
        if (closed) {
            throw new IllegalStateException("the shared memory is closed");
        }
        return memory.duplicate();
    }

    /** What another process of the same user opens, to read, write and map it. */
    public String path() {
        return "/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor;
    }

    /** Takes the memory from this process; buffers of it must not be used any more. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            MpiCalls.unshareMemory(memory, size, descriptor);
        }
    }
}
