// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Passes stored bytes on, counts them, and keeps the checksums of their blocks. Never closes or
 * flushes its target. Used by one thread.
 */
final class StoredOutput extends OutputStream {
    private final OutputStream out;
    private final BlockChecksumsBuilder blocksOrNull;
    private long position;

    /**
     * Creates a stream.
     *
     * @param blocksOrNull receives the written bytes, segment by segment
     */
    StoredOutput(final OutputStream out, final BlockChecksumsBuilder blocksOrNull) {
        super();
        this.out = out;
        this.blocksOrNull = blocksOrNull;
    }

    @Override
    public void write(final int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        if (blocksOrNull != null) {
            blocksOrNull.update(bytes, offset, length);
        }
        out.write(bytes, offset, length);
        position += length;
    }

    /** Ends the segment: the next block begins with the next segment. */
    void endSegment() {
        if (blocksOrNull != null) {
            blocksOrNull.endSegment();
        }
    }

    /** The bytes written so far. */
    long position() {
        return position;
    }
}
