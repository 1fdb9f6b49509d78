// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.ifile.SegmentCipher;

/**
 * The form in which a job's map outputs are stored. Immutable.
 *
 * @param compressed whether a codec compresses them
 * @param cipher of the compressed or plain content
 */
public record SegmentForm(boolean compressed, SegmentCipher cipher) {
    /** Neither compressed nor encrypted. */
    public static final SegmentForm PLAIN = new SegmentForm(false, SegmentCipher.NONE);

    /** The length of the checksum at the end of a segment's content, in bytes. */
    public static final int CHECKSUM_LENGTH = 4;

    /** The bytes of a stored segment that are neither records nor end marker, nor a codec's. */
    public int overhead() {
        return cipher.headerLength() + CHECKSUM_LENGTH;
    }

    /**
     * The bytes of a segment that a reader receives. A codec's reader receives the checksum, too.
     *
     * @param partLength the segment's stored length
     */
    public long handedOn(final long partLength) {
        return partLength - (compressed ? cipher.headerLength() : overhead());
    }

    /** The same form without a codec, for runs that a reducer writes. */
    public SegmentForm uncompressed() {
        return new SegmentForm(false, cipher);
    }
}
