// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.task;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.mpi.link.Blocks;
import io.spillway.transport.mpi.link.LinkMessage.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The memory that a task shares with its rank: bytes arrive in the first half, which the rank gives
 * out; the second half is for what the task sends, and given out here. Used by one thread.
 */
final class TaskMemory {
    /** What the kernel has for the files of a process. */
    private static final String FILES_OF_PROCESSES = "/proc/";

    private static final int LEAST_BYTES = 1 << 20;
    private static final int MOST_BYTES = 1 << 30;

    private final ByteBuffer bytes;
    private final int half;
    private final Blocks outgoing;

    private TaskMemory(final ByteBuffer bytes) {
        this.bytes = bytes;
        this.half = bytes.capacity() / 2;
        this.outgoing = new Blocks(half, half);
    }

    /**
     * Maps what the rank has named.
     *
     * @throws MalformedFrameException for a length out of range
     * @throws IOException where it is no file of a process, or cannot be mapped
     */
    static TaskMemory map(final String file, final int length)
            throws IOException, MalformedFrameException {
        MalformedFrameException.require(Kind.READY, "memory", length, LEAST_BYTES, MOST_BYTES);
        if (!file.startsWith(FILES_OF_PROCESSES)) {
            throw new IOException("expected a file in " + FILES_OF_PROCESSES);
        }
        try (FileChannel channel =
                FileChannel.open(
                        Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new TaskMemory(channel.map(FileChannel.MapMode.READ_WRITE, 0, length));
        }
    }

    /** Insists that bytes that have arrived lie in the half for them; a length of 0 is none. */
    void checkArrived(final int offset, final int length) throws MalformedFrameException {
        MalformedFrameException.require(Kind.DATA, "bytes in memory", length, 0, half);
        MalformedFrameException.require(Kind.DATA, "offset in memory", offset, 0, half - length);
    }

    /** The bytes at a place. */
    ByteBuffer at(final int offset, final int length) {
        return bytes.slice(offset, length);
    }

    /** Takes room for bytes to be sent; negative where there is none. */
    int take(final int length) {
        return outgoing.take(length);
    }

    /** The rank has sent them. */
    void give(final int offset, final int length) throws MalformedFrameException {
        if (!outgoing.give(offset, length)) {
            throw MalformedFrameException.of(
                    Kind.FREE, "offset", offset, "one that is taken, with length=" + length);
        }
    }
}
