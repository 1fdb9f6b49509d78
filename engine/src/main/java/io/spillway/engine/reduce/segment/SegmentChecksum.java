// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.checksum.Crc32cMath;
import io.spillway.engine.spi.SegmentForm;
import io.spillway.ifile.SegmentCipher;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Verifies a segment whose stored bytes pass in order. It decrypts them in place. The content ends
 * with its CRC32, four bytes, big-endian. Used by one thread.
 *
 * <p>It also keeps a digest of the content that has passed: that CRC32, and a CRC32C of all
 * content. Two outputs of a map that differ within these bytes have the same digest with a
 * probability of 2^-64. The digest detects maps that are not deterministic. It does not detect
 * forgery: the connection's authentication does. The digest covers the content, because the
 * encrypted bytes of two attempts differ.
 */
public final class SegmentChecksum {
    /** The length of the checksum at a segment's end. */
    public static final int LENGTH = SegmentForm.CHECKSUM_LENGTH;

    private final CRC32 crc = new CRC32();
    private final CRC32C piece = new CRC32C();
    private final SegmentCipher cipher;
    private final SegmentCipher.Content content;
    private final boolean handsChecksumOn;
    private final long partLength;
    private final long dataLength;
    private int all;
    private long seen;
    private long passed;
    private int expected;

    /**
     * Creates a checksum.
     *
     * @param partLength the segment's stored length; more than the form's overhead
     */
    public SegmentChecksum(final long partLength, final SegmentForm form) {
        this.cipher = form.cipher();
        this.content = cipher.content();
        this.handsChecksumOn = form.compressed();
        this.partLength = partLength;
        this.dataLength = partLength - form.overhead();
    }

    /**
     * Passes the next stored bytes.
     *
     * @return how many bytes are to be handed on: content, from {@code offset} on
     */
    public int update(final byte[] bytes, final int offset, final int length) {
        seen += length;
        final int count = content.pass(bytes, offset, length);
        return verify(bytes, offset, count, sumOf(bytes, offset, count));
    }

    /**
     * Passes the next stored bytes.
     *
     * @param crc32c of these bytes
     * @return how many bytes are to be handed on: content, from {@code offset} on
     */
    public int update(final byte[] bytes, final int offset, final int length, final int crc32c) {
        if (cipher != SegmentCipher.NONE) {
            return update(bytes, offset, length);
        }
        seen += length;
        return verify(bytes, offset, length, crc32c);
    }

    private int sumOf(final byte[] bytes, final int offset, final int length) {
        piece.reset();
        piece.update(bytes, offset, length);
        return (int) piece.getValue();
    }

    private int verify(final byte[] bytes, final int offset, final int length, final int crc32c) {
        final int data = (int) Math.min(length, Math.max(0, dataLength - passed));
        crc.update(bytes, offset, data);
        all = Crc32cMath.combine(all, crc32c, length);
        for (int i = data; i < length; i++) {
            expected = (expected << 8) | (bytes[offset + i] & 0xFF);
        }
        passed += length;
        return handsChecksumOn ? length : data;
    }

    /** The digest of the content that passed. */
    public long digest() {
        return crc.getValue() << Integer.SIZE | Integer.toUnsignedLong(all);
    }

    /** The stored bytes that passed. */
    public long seen() {
        return seen;
    }

    /** Whether the data has the checksum it says; once all bytes have passed. */
    public boolean matches() {
        return seen == partLength && (int) crc.getValue() == expected;
    }
}
