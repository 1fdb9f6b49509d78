// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.Decompressor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The content of one stored segment, decrypted and decompressed. It verifies the CRC32 trailer and
 * removes it. Used by one thread.
 *
 * <p>The checksum is compared when the content's end is reached, not before: bytes read until then
 * are unverified. A reader that stops earlier gets no verification.
 */
public final class SegmentInputStream extends InputStream {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentInputStream.class);

    private final ChecksummedInput stored;
    private final CompressionCodec codecOrNull;

    /** Null before the first read: until then the segment takes no decompressor. */
    private InputStream content;

    private final byte[] single = new byte[1];
    private Decompressor decompressor;

    /** Whether a read failed: then the decompressor is not pooled, for some stay broken by that. */
    private boolean failed;

    private boolean closed;

    /**
     * Opens a segment; nothing is read, and no decompressor is taken, before the first read.
     *
     * @param in starts at the segment; closed with this stream. At most {@code partLength} bytes
     *     are read
     * @param partLength the segment's stored length, checksum included
     * @param codecOrNull the codec of the map output, or null
     * @throws IOException when the length is that of no segment; {@code in} stays open
     */
    public SegmentInputStream(
            final InputStream in, final long partLength, final CompressionCodec codecOrNull)
            throws IOException {
        this(in, partLength, codecOrNull, SegmentCipher.NONE);
    }

    /**
     * As {@link #SegmentInputStream(InputStream, long, CompressionCodec)}, for a segment that may
     * be encrypted.
     *
     * @param cipher of the stored segment
     */
    public SegmentInputStream(
            final InputStream in,
            final long partLength,
            final CompressionCodec codecOrNull,
            final SegmentCipher cipher)
            throws IOException {
        this.stored = new ChecksummedInput(cipher.input(in), partLength - cipher.headerLength());
        this.codecOrNull = codecOrNull;
    }

    private void open() throws IOException {
        this.decompressor = codecOrNull == null ? null : CodecPool.getDecompressor(codecOrNull);
        if (codecOrNull != null && decompressor == null) {
            LOG.warn("{} gives no decompressor: reading as it is", codecOrNull.getClass());
        }
        this.content = decompressor == null ? stored : decompressed(codecOrNull);
    }

    private InputStream decompressed(final CompressionCodec codec) throws IOException {
        try {
            return codec.createInputStream(stored, decompressor);
        } catch (final IOException | RuntimeException | InternalError e) {
            failed = true;
            releaseDecompressor();
            throw corrupt(e);
        }
    }

    @Override
    public int read() throws IOException {
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
    }

    @Override
    public int read(final byte[] buffer, final int offset, final int length) throws IOException {
        failed = true;
        if (content == null) {
            open();
        }
        final int count = readContent(buffer, offset, length);
        if (count < 0 && content != stored) {
            stored.drain(new byte[512]);
        }
        failed = false;
        return count;
    }

    /** Codecs report corrupt data by all kinds of exceptions; native ones by InternalError. */
    private int readContent(final byte[] buffer, final int offset, final int length)
            throws IOException {
        try {
            return content.read(buffer, offset, length);
        } catch (final RuntimeException | InternalError e) {
            throw corrupt(e);
        }
    }

    private static IOException corrupt(final Throwable cause) {
        return cause instanceof IOException io
                ? io
                : new IOException("Corrupt segment: it cannot be decompressed", cause);
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            (content == null ? stored : content).close();
        } finally {
            releaseDecompressor();
        }
    }

    private void releaseDecompressor() {
        if (decompressor == null) {
            return;
        }
        if (failed) {
            end(decompressor);
        } else {
            CodecPool.returnDecompressor(decompressor);
        }
        decompressor = null;
    }

    private static void end(final Decompressor broken) {
        try {
            broken.end();
        } catch (final UnsupportedOperationException e) {
            LOG.debug("{} holds nothing that could be freed", broken.getClass(), e);
        }
    }
}
