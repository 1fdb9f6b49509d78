// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Takes the content of segments, one after the other, and writes them as they are stored. One
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
     * @param position where it begins in its file
     */
    abstract void begin(long position) throws IOException;

    @Override
    public final void write(final int b) throws IOException {
        single[0] = (byte) b;
        write(single, 0, 1);
    }

    @Override
    public abstract void write(byte[] bytes, int offset, int length) throws IOException;

    /** Ends the segment: all of its bytes are written. */
    abstract void end() throws IOException;

    /** Frees memory; writes nothing. Idempotent. */
    @Override
    public void close() {}
}
