// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.checksum.Crc32cMath;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Verifies a segment whose bytes pass in order: all but the last four, then their CRC32,
 * big-endian. One thread.
 *
 * <p>It also keeps a digest of what has passed: that CRC32, and a CRC32C of all bytes. Two outputs
 * of a map that differ in as many first bytes have the same digest with a probability of 2^-64: it
 * guards against maps that are not deterministic, not against forgery, which the connection's
 * authentication does.
 */
public final class SegmentChecksum {
    /** The length of the checksum at a segment's end. */
    public static final int LENGTH = 4;

    private final CRC32 crc = new CRC32();
    private final CRC32C piece = new CRC32C();
    private int all;
    private final long dataLength;
    private long seen;
    private int expected;

    /**
     * Creates a checksum.
     *
     * @param partLength the segment's length, its checksum included; at least {@value #LENGTH}
     */
    public SegmentChecksum(final long partLength) {
        this.dataLength = partLength - LENGTH;
    }

    /**
     * Passes the next bytes.
     *
     * @return how many of them are data; the rest belongs to the checksum
     */
    public int update(final byte[] bytes, final int offset, final int length) {
        piece.reset();
        piece.update(bytes, offset, length);
        return update(bytes, offset, length, (int) piece.getValue());
    }

    /**
     * Passes the next bytes.
     *
     * @param crc32c of these bytes
     * @return how many of them are data; the rest belongs to the checksum
     */
    public int update(final byte[] bytes, final int offset, final int length, final int crc32c) {
        final int data = (int) Math.min(length, Math.max(0, dataLength - seen));
        crc.update(bytes, offset, data);
        all = Crc32cMath.combine(all, crc32c, length);
        for (int i = data; i < length; i++) {
            expected = (expected << 8) | (bytes[offset + i] & 0xFF);
        }
        seen += length;
        return data;
    }

    /** The digest of the bytes that passed. */
    public long digest() {
        return crc.getValue() << Integer.SIZE | Integer.toUnsignedLong(all);
    }

    /** The bytes that passed. */
    public long seen() {
        return seen;
    }

    /** Whether the data has the checksum it says; once all bytes have passed. */
    public boolean matches() {
        return seen == dataLength + LENGTH && (int) crc.getValue() == expected;
    }
}
