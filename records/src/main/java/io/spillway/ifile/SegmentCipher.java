// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * Encrypts the content of segments before it is stored, and decrypts it when it is read. {@link
 * #NONE} leaves the content as it is. The content is records and end marker, compressed by the
 * codec if there is one, and their CRC32. Thread-safe.
 */
public interface SegmentCipher {
    /** Segments are stored as they are. */
    SegmentCipher NONE = new PlainSegments();

    /**
     * The bytes that a stored segment has before its content. Both lengths of its index entry
     * include them.
     */
    int headerLength();

    /**
     * Begins a file of segments.
     *
     * @param stored takes the stored bytes; never closed or flushed
     */
    SegmentOutput output(OutputStream stored);

    /** Begins to read a segment whose stored bytes pass in order. */
    Content content();

    /**
     * Returns the content of one stored segment.
     *
     * @param stored starts at the segment; closed with the returned stream
     */
    InputStream input(InputStream stored);

    /** Returns the end of the message about a segment with a wrong checksum; may be empty. */
    String hintOfDamage();

    /** Makes the content of one segment from its stored bytes, in place. One thread. */
    interface Content {
        /**
         * Passes the next stored bytes.
         *
         * @return how many bytes of content they have, which then begin at {@code offset}
         * @throws java.io.UncheckedIOException when the cipher fails, whatever the bytes are
         */
        int pass(byte[] bytes, int offset, int length);
    }
}
