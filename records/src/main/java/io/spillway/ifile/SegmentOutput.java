// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Takes the content of segments, one after the other, and writes their stored form. Used by one
 * thread.
 */
public abstract class SegmentOutput extends OutputStream {
    private final byte[] single = new byte[1];

    SegmentOutput() {
        super();
    }

    /**
     * Begins a segment.
     *
     * @param position of its begin in the file
     */
    abstract void begin(long position) throws IOException;

    @Override
    public final void write(final int b) throws IOException {
        single[0] = (byte) b;
        write(single, 0, 1);
    }

    @Override
    public abstract void write(byte[] bytes, int offset, int length) throws IOException;

    /** Ends the segment and writes its remaining bytes. */
    abstract void end() throws IOException;

    /** Frees memory; writes no bytes. Idempotent. */
    @Override
    public void close() {}
}
