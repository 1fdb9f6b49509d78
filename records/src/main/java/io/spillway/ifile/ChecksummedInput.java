// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import org.apache.hadoop.fs.ChecksumException;

/**
 * The bytes of one stored segment without its CRC32 trailer, which is compared when the last byte
 * was read. One thread.
 */
final class ChecksummedInput extends InputStream {
    private final InputStream in;
    private final long dataLength;
    private final CRC32 crc = new CRC32();
    private final byte[] single = new byte[1];
    private long position;
    private boolean verified;

    ChecksummedInput(final InputStream in, final long partLength) throws IOException {
        if (partLength < ChecksummedOutput.CHECKSUM_LENGTH) {
            throw new IOException(
                    "Corrupt segment: partLength="
                            + partLength
                            + ", expected at least "
                            + ChecksummedOutput.CHECKSUM_LENGTH);
        }
        this.in = in;
        this.dataLength = partLength - ChecksummedOutput.CHECKSUM_LENGTH;
    }

    @Override
    public int read() throws IOException {
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
    }

    @Override
    public int read(final byte[] buffer, final int offset, final int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (position == dataLength) {
            verify();
            return -1;
        }
        final int wanted = (int) Math.min(length, dataLength - position);
        final int count = in.read(buffer, offset, wanted);
        if (count < 0) {
            throw truncated(position);
        }
        crc.update(buffer, offset, count);
        position += count;
        if (position == dataLength) {
            verify();
        }
        return count;
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(in.available(), dataLength - position);
    }

    /** Reads what is left, so that the checksum is compared. */
    void drain(final byte[] scratch) throws IOException {
        int count = 0;
        while (count >= 0) {
            count = read(scratch, 0, scratch.length);
        }
    }

    private void verify() throws IOException {
        if (verified) {
            return;
        }
        int stored = 0;
        for (int i = 0; i < ChecksummedOutput.CHECKSUM_LENGTH; i++) {
            final int next = in.read();
            if (next < 0) {
                throw truncated(dataLength + i);
            }
            stored = (stored << 8) | next;
        }
        if (stored != (int) crc.getValue()) {
            throw new ChecksumException(
                    String.format(
                            "Corrupt segment: checksum=%08x over %d bytes, expected %08x",
                            (int) crc.getValue(), dataLength, stored),
                    0);
        }
        verified = true;
    }

    private IOException truncated(final long at) {
        return new IOException(
                "Truncated segment: ends after "
                        + at
                        + " bytes, expected partLength="
                        + (dataLength + ChecksummedOutput.CHECKSUM_LENGTH));
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
