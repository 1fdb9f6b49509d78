// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Where a segment, or a piece of one, lies in an open file. Immutable.
 *
 * @param channel the file; reads are positional, so that it can be shared
 * @param position where the segment starts in the file, in bytes; of a piece, where the segment
 *     would start if all of it lay there, which may be before the file's first byte
 */
public record SegmentFile(FileChannel channel, long position) {
    /**
     * Fills what remains of a buffer. May wait for a disk.
     *
     * @param offset where to begin in the segment, in bytes
     * @throws EOFException where the file has become shorter
     */
    public void read(final long offset, final ByteBuffer destination) throws IOException {
        final long start = position + offset - destination.position();
        while (destination.hasRemaining()) {
            if (channel.read(destination, start + destination.position()) < 0) {
                throw truncated(start + destination.limit());
            }
        }
    }

    /**
     * Says that the file is shorter than it has to be.
     *
     * @param expected the file's least length, in bytes
     */
    public EOFException truncated(final long expected) throws IOException {
        return new EOFException(
                "map output truncated: file length="
                        + channel.size()
                        + ", expected at least "
                        + expected);
    }
}
