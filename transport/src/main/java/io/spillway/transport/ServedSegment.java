// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import io.spillway.conf.TierName;
import io.spillway.conf.WireTier;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One segment, open for serving: bytes, wherever they lie. It holds a reference on what they lie
 * in: the caller that got it from {@code SegmentSource.open} must {@link #close} it once, after the
 * last byte was read or went out. Where bytes can be had without a copy, {@link #file} or {@link
 * #cached} says so; a server takes them from there as far as it can, and else from {@link #read}.
 */
public non-sealed interface ServedSegment extends SegmentAnswer, AutoCloseable {
    /** Length as stored and sent, checksum included. */
    long partLength();

    /** Length uncompressed, end marker included. */
    long rawLength();

    /** Of how many runs the segment is. */
    default int runs() {
        return 1;
    }

    /** How many records it has; {@link FetchReply#UNKNOWN_RECORDS} where they were not counted. */
    default long records() {
        return FetchReply.UNKNOWN_RECORDS;
    }

    /**
     * Fills what remains of a buffer. May block; for one thread at a time, not after {@link
     * #close}.
     *
     * @param offset where to begin in the segment, in bytes; all that is to be read lies within it
     * @param destination has no byte left to fill when this returns; what it holds when this throws
     *     is not specified
     * @throws IOException where not all bytes can be read
     */
    void read(long offset, ByteBuffer destination) throws IOException;

    /**
     * The file that all of a piece lies in, for sending it from there. Does not block.
     *
     * @param offset where the piece starts in the segment, in bytes
     * @param length of the piece in bytes, at least 1; the piece lies within the segment
     * @return null where there is none
     */
    default SegmentFile file(final long offset, final int length) {
        return null;
    }

    /**
     * Says that a read of its {@linkplain #file file} has failed after the client was promised the
     * bytes: the connection ends, with all its fetches. A source that has files lets no later fetch
     * fail so late: it opens the file anew, or returns no {@link #file} any more. Does not block;
     * any thread.
     */
    default void fileFailed(final IOException cause) {}

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
    default TierName tier() {
        return WireTier.UNKNOWN;
    }

    /**
     * The bytes of a piece, where they lie in memory already; they outlive the segment. A server
     * whose client may be read ahead for calls this for each piece that it is about to send, and
     * for no other client: from the call the source learns what will be asked for next. Never
     * blocks and never fails.
     *
     * @param offset where the piece starts in the segment, in bytes
     * @param length of the piece in bytes, at least 1; the piece lies within the segment
     * @return null when the bytes have to come from {@link #file} or {@link #read}
     */
    default CachedBytes cached(final long offset, final int length) {
        return null;
    }

    @Override
    void close();
}
