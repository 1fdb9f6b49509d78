package io.spillway.transport;

import java.nio.channels.FileChannel;

/**
 * One segment, open for serving. It holds a reference on the open file: the caller that got it from
 * {@link SegmentSource#open} must {@link #close} it once, after the last byte went out.
 */
public interface ServedSegment extends AutoCloseable {
    /** Length in the file, checksum included. */
    long partLength();

    /** Length uncompressed, end marker included. */
    long rawLength();

    /** Of how many runs the segment is. */
    default int runs() {
        return 1;
    }

    /** The open map output file; reads are positional, so that it can be shared. */
    FileChannel file();

    /** Where the segment starts in the file. */
    long fileOffset();

    /**
     * The CRC32C that a piece must have, made of the checksums that its map wrote. Does not block.
     *
     * @param offset where the piece starts in the segment, in bytes
     * @param length of the piece in bytes; the piece lies within the segment
     * @return an unsigned number of 32 bits; {@link FetchReply#NO_CHECKSUM} where the map wrote no
     *     checksums, or the piece is not of whole blocks
     */
    default long checksum(final long offset, final int length) {
        return FetchReply.NO_CHECKSUM;
    }

    /** Where it is kept. */
    default StorageTier tier() {
        return StorageTier.UNKNOWN;
    }

    /**
     * The bytes of a piece, where they lie in memory already; they outlive the segment. A server
     * whose client may be read ahead for calls this for each piece that it is about to send, and
     * for no other client: from the call the source learns what will be asked for next. Never
     * blocks and never fails.
     *
     * @param offset where the piece starts in the segment, in bytes
     * @param length of the piece in bytes, at least 1; the piece lies within the segment
     * @return null when the bytes have to come from {@link #file}
     */
    default CachedBytes cached(final long offset, final int length) {
        return null;
    }

    @Override
    void close();
}
