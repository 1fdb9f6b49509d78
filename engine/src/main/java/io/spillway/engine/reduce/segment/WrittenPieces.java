// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The checksums of the pieces of what this attempt has put out of memory: what is read back is
 * compared before a record of it is read. Takes four bytes a piece. One thread at a time.
 */
public final class WrittenPieces {
    private static final int FIRST_CAPACITY = 16;

    private final CRC32C crc = new CRC32C();
    private final int pieceLength;
    private int[] checksums = new int[FIRST_CAPACITY];
    private int count;
    private int filled;

    /**
     * Creates the checksums of an empty file.
     *
     * @param pieceLength the bytes that are read back at a time
     */
    public WrittenPieces(final int pieceLength) {
        this.pieceLength = pieceLength;
    }

    /** Passes on what is written, and keeps its checksums. */
    public OutputStream of(final OutputStream file) {
        return new FilterOutputStream(file) {
            @Override
            public void write(final int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(final byte[] bytes, final int offset, final int length)
                    throws IOException {
                file.write(bytes, offset, length);
                update(bytes, offset, length);
            }
        };
    }

    private void update(final byte[] bytes, final int offset, final int length) {
        int at = offset;
        int left = length;
        while (left > 0) {
            final int part = Math.min(left, pieceLength - filled);
            crc.update(bytes, at, part);
            filled += part;
            at += part;
            left -= part;
            if (filled == pieceLength) {
                end();
            }
        }
    }

    /** The file has ended. */
    public void end() {
        if (filled == 0) {
            return;
        }
        if (count == checksums.length) {
            checksums = Arrays.copyOf(checksums, 2 * count);
        }
        checksums[count++] = (int) crc.getValue();
        crc.reset();
        filled = 0;
    }

    /**
     * Compares a piece that was read back.
     *
     * @param position where the piece begins in the file
     * @throws IOException when it is not what was written
     */
    void verify(final long position, final byte[] bytes, final int offset, final int length)
            throws IOException {
        crc.reset();
        crc.update(bytes, offset, length);
        final int number = (int) (position / pieceLength);
        if (number >= count || (int) crc.getValue() != checksums[number]) {
            throw new IOException(
                    String.format(
                            "CRC32C=%08x of %d bytes at offset %d, which is not what was written",
                            crc.getValue(), length, position));
        }
    }
}
