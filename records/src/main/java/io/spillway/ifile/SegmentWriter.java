// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes consecutive segments of one map output or spill, as {@code
 * org.apache.hadoop.mapred.IFile.Writer} does: records, an end marker, a codec around both, then
 * the CRC32 of what the codec wrote; all of it as a {@link SegmentCipher} stores it. One thread.
 *
 * <p>Records gather in one chunk that is reused for every segment; nothing is allocated per record.
 * Uncompressed segments are the same byte for byte as stock's; block codecs get larger pieces than
 * stock gives them, and so may cut their blocks elsewhere.
 */
public final class SegmentWriter implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentWriter.class);

    private static final int PLAIN_CHUNK = 128 << 10;

    /** Block codecs end a block when the next piece does not fit: small pieces fill blocks well. */
    private static final int CODEC_CHUNK = 32 << 10;

    /** The bytes of a block with a checksum of its own, where nothing else is said. */
    public static final int BLOCK_LENGTH = 64 << 10;

    /** In place of a block's length: no block has a checksum. */
    public static final int NO_BLOCKS = 0;

    /** Keys of shorter records are not looked at, which would cost time for each. */
    private static final int LONG_RECORD = 16 << 10;

    private static final int FIRST_COUNTS = 16;

    private final BlockChecksumsBuilder blocks;
    private final StoredOutput stored;
    private final int headerLength;
    private final SegmentOutput content;
    private final ChecksummedOutput checksummed;
    private final CompressionCodec codec;
    private final Compressor compressor;
    private final byte[] chunk;

    private CompressionOutputStream compressed;
    private OutputStream segment;
    private int filled;
    private long segmentStart;
    private long rawLength;
    private long records;
    private long recordsBefore;
    private long[] counts = new long[FIRST_COUNTS];
    private int segments;
    private int longestKey;
    private boolean closed;

    /**
     * Creates a writer at offset 0.
     *
     * @param out where the segments go, in pieces of many KiB; never closed or flushed here
     * @param codecOrNull the codec of the map output, or null
     */
    public SegmentWriter(final OutputStream out, final CompressionCodec codecOrNull)
            throws IOException {
        this(out, codecOrNull, BLOCK_LENGTH);
    }

    /**
     * Creates a writer at offset 0.
     *
     * @param out where the segments go, in pieces of many KiB; never closed or flushed here
     * @param codecOrNull the codec of the map output, or null
     * @param blockLength the bytes of a block with a checksum of its own, or {@link #NO_BLOCKS}
     */
    public SegmentWriter(
            final OutputStream out, final CompressionCodec codecOrNull, final int blockLength)
            throws IOException {
        this(out, codecOrNull, SegmentCipher.NONE, blockLength);
    }

    /**
     * Creates a writer at offset 0.
     *
     * @param out where the segments go, in pieces of many KiB; never closed or flushed here
     * @param codecOrNull the codec of the map output, or null
     * @param cipher of the stored segments
     * @param blockLength the bytes of a block with a checksum of its own, or {@link #NO_BLOCKS}
     */
    public SegmentWriter(
            final OutputStream out,
            final CompressionCodec codecOrNull,
            final SegmentCipher cipher,
            final int blockLength)
            throws IOException {
        this.blocks = blockLength == NO_BLOCKS ? null : new BlockChecksumsBuilder(blockLength);
        this.stored = new StoredOutput(out, blocks);
        this.headerLength = cipher.headerLength();
        this.content = cipher.output(stored);
        this.checksummed = new ChecksummedOutput(content);
        this.compressor = codecOrNull == null ? null : CodecPool.getCompressor(codecOrNull);
        if (codecOrNull != null && compressor == null) {
            LOG.warn("{} gives no compressor: not compressing, as stock", codecOrNull.getClass());
        }
        this.codec = compressor == null ? null : codecOrNull;
        this.chunk = new byte[codec == null ? PLAIN_CHUNK : CODEC_CHUNK];
    }

    /**
     * Appends an encoded record: its two lengths, key and value.
     *
     * @throws IOException when the stream below fails; the segment is then of no use
     */
    public void append(final byte[] src, final int offset, final int length) throws IOException {
        if (length > LONG_RECORD) {
            longestKey = Math.max(longestKey, VInts.read(src, offset));
        }
        copy(src, offset, length);
        records++;
    }

    private void copy(final byte[] src, final int offset, final int length) throws IOException {
        if (length <= chunk.length - filled) {
            System.arraycopy(src, offset, chunk, filled, length);
            filled += length;
        } else {
            writeThrough(src, offset, length);
        }
        rawLength += length;
    }

    /**
     * Appends a record.
     *
     * @throws IOException when the stream below fails; the segment is then of no use
     */
    public void append(
            final byte[] key,
            final int keyOffset,
            final int keyLength,
            final byte[] value,
            final int valueOffset,
            final int valueLength)
            throws IOException {
        if (keyLength < 0 || valueLength < 0) {
            throw new IOException(
                    "keyLength="
                            + keyLength
                            + " valueLength="
                            + valueLength
                            + ", expected both >= 0");
        }
        if (chunk.length - filled < VInts.MAX_HEADER_LENGTH) {
            flushChunk();
        }
        final int start = filled;
        filled = VInts.write(chunk, filled, keyLength);
        filled = VInts.write(chunk, filled, valueLength);
        rawLength += filled - start;
        copy(key, keyOffset, keyLength);
        copy(value, valueOffset, valueLength);
        longestKey = Math.max(longestKey, keyLength);
        records++;
    }

    /** Fills the chunk, writes it, and goes on with the rest of a record that did not fit. */
    private void writeThrough(final byte[] src, final int offset, final int length)
            throws IOException {
        int from = offset;
        int left = length;
        while (left > 0) {
            if (filled == chunk.length) {
                flushChunk();
            }
            final int piece = Math.min(left, chunk.length - filled);
            System.arraycopy(src, from, chunk, filled, piece);
            filled += piece;
            from += piece;
            left -= piece;
        }
    }

    private void flushChunk() throws IOException {
        openSegment();
        segment.write(chunk, 0, filled);
        filled = 0;
    }

    private void openSegment() throws IOException {
        if (segment != null) {
            return;
        }
        content.begin(segmentStart);
        if (codec == null) {
            segment = checksummed;
            return;
        }
        compressor.reset();
        compressed = codec.createOutputStream(checksummed, compressor);
        segment = compressed;
    }

    /**
     * Ends the segment, which may be empty: end marker, codec, checksum, cipher.
     *
     * @return where it lies; offsets count from this writer's creation
     */
    public IndexEntry endSegment() throws IOException {
        if (chunk.length - filled < VInts.END_MARKER_LENGTH) {
            flushChunk();
        }
        chunk[filled++] = VInts.END;
        chunk[filled++] = VInts.END;
        rawLength += VInts.END_MARKER_LENGTH;
        flushChunk();
        if (compressed != null) {
            compressed.flush();
            compressed.finish();
            compressed = null;
        }
        segment = null;
        checksummed.writeChecksum();
        content.end();
        stored.endSegment();
        final long end = stored.position();
        final IndexEntry entry =
                new IndexEntry(segmentStart, headerLength + rawLength, end - segmentStart);
        segmentStart = end;
        rawLength = 0;
        countSegment();
        return entry;
    }

    private void countSegment() {
        if (segments == counts.length) {
            counts = Arrays.copyOf(counts, 2 * segments);
        }
        counts[segments++] = records - recordsBefore;
        recordsBefore = records;
    }

    /** The records of the segment that has ended last. */
    public long lastCount() {
        return counts[segments - 1];
    }

    /** The records of all segments that have ended. */
    public RecordCounts recordCounts() {
        return RecordCounts.of(Arrays.copyOf(counts, segments));
    }

    /** The records appended to all segments so far. */
    public long recordsWritten() {
        return records;
    }

    /** No key that was written is longer, in bytes. */
    public int longestKey() {
        return Math.max(longestKey, (int) Math.min(LONG_RECORD, records * LONG_RECORD));
    }

    /**
     * The checksums of the blocks of all segments that have ended; null where they are too many for
     * a file, or none are made.
     */
    public BlockChecksums blockChecksums() {
        return blocks == null ? null : blocks.build();
    }

    /** Gives the compressor back; writes nothing. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            content.close();
            CodecPool.returnCompressor(compressor);
        }
    }
}
