// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * Where one piece of an output lies in the file of its job. Immutable.
 *
 * @param file of the job
 * @param position of the first byte in the file
 * @param length in bytes
 */
record FileRange(OverflowFile file, long position, int length) {
    /**
     * Writes the piece. May wait for a disk.
     *
     * @param bytes all that remains of each buffer, the range's length in sum
     * @throws IOException where the file cannot be made, or its file system is full
     */
    void write(final List<ByteBuffer> bytes) throws IOException {
        final FileChannel channel = file.openForWriting();
        long at = position;
        for (final ByteBuffer buffer : bytes) {
            while (buffer.hasRemaining()) {
                at += channel.write(buffer, at);
            }
        }
    }
}
