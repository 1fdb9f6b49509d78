// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * What is done to the content of segments on its way to where they are stored, and undone on the
 * way back: they are encrypted, or stay as they are. The content is all that a segment is without
 * it: records and end marker, the codec around both, and their CRC32. Thread-safe.
 */
public interface SegmentCipher {
    /** Segments are stored as they are. */
    SegmentCipher NONE = new PlainSegments();

    /**
     * The bytes that a stored segment has before its content. Both lengths of its index entry have
     * them.
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
     * The content of one stored segment.
     *
     * @param stored starts at the segment; closed with what is given
     */
    InputStream input(InputStream stored);

    /**
     * Adds to the message about a segment whose checksum is wrong; empty where there is nothing.
     */
    String hintOfDamage();

    /** The content of one segment, made of the stored bytes where they lie. One thread. */
    interface Content {
        /**
         * Passes the next stored bytes.
         *
         * @return how many bytes of content they are; these lie at {@code offset} from here on
         * @throws java.io.UncheckedIOException when the cipher fails, whatever the bytes are
         */
        int pass(byte[] bytes, int offset, int length);
    }
}
