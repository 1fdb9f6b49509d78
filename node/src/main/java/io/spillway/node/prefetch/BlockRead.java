// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A block to read; its memory is reserved.
 *
 * @param file that it lies in
 * @param block its number in the file
 * @param urgency of the block when it is read
 */
record BlockRead(ReadAheadFile file, int block, Urgency urgency) {
    private static final Logger LOG = LoggerFactory.getLogger(BlockRead.class);

    /**
     * Reads the block; blocks. Fails quietly: a request for these bytes fails with the reason on
     * its way over the file.
     *
     * @param bytes at least as large as the block; its bytes are what remains afterwards
     * @return false where they could not be read
     */
    boolean fill(final ByteBuffer bytes) {
        try {
            bytes.limit(file.lengthOf(block));
            final long position = file.startOf(block);
            final boolean filled = file.file().readFully(bytes, position);
            bytes.flip();
            return filled;
        } catch (final IOException | RuntimeException e) {
            LOG.debug("Reading a map output ahead failed", e);
            return false;
        }
    }
}
