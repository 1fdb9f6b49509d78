// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * Passes bytes on, and on request writes the CRC32 of the bytes since the last checksum. Never
 * closes or flushes its target. Used by one thread.
 */
final class ChecksummedOutput extends OutputStream {
    static final int CHECKSUM_LENGTH = Integer.BYTES;

    private final OutputStream out;
    private final CRC32 crc = new CRC32();
    private final byte[] single = new byte[1];

    ChecksummedOutput(final OutputStream out) {
        super();
        this.out = out;
    }

    @Override
    public void write(final int b) throws IOException {
        single[0] = (byte) b;
        write(single, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        crc.update(bytes, offset, length);
        out.write(bytes, offset, length);
    }

    /** Writes the checksum, big-endian, which ends a segment, and starts the next one. */
    void writeChecksum() throws IOException {
        final byte[] checksum =
                ByteBuffer.allocate(CHECKSUM_LENGTH).putInt((int) crc.getValue()).array();
        out.write(checksum, 0, CHECKSUM_LENGTH);
        crc.reset();
    }

    /** Codecs close their streams; the one below belongs to the caller. */
    @Override
    public void close() {}
}
