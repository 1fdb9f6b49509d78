// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import io.spillway.transport.FetchException;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentId;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Where a node keeps the outputs that clients put. Bytes of an output come in pieces, in any order
 * and over any connections, and are visible to fetches from the commit on. Every step may be
 * repeated: the same bytes, commit or abort again change nothing and are acknowledged. Thread-safe;
 * no method blocks.
 *
 * <p>Jobs are apart: an output's name counts together with the job, whose secret the client has
 * proved to know.
 */
public interface SegmentSink {
    /**
     * Begins to take a piece. Every piece that begins {@linkplain Piece#arrived arrives} or is
     * {@linkplain Piece#abandon abandoned}.
     *
     * @param offset of the piece in the segment, in bytes; {@code offset + length} does not
     *     overflow
     * @param length of the piece in bytes, at least 0
     * @param checksum the CRC32C of the bytes
     * @throws FetchException with {@code CONFLICT} where other bytes were taken for some of the
     *     piece's, or the output is whole without them, {@code FULL} where there is no room, or
     *     {@code OUT_OF_RANGE}
     */
    Piece begin(String jobId, SegmentId segment, long offset, int length, int checksum)
            throws FetchException;

    /**
     * Takes what an output consists of, or the next part of that. The last part makes the output
     * visible, as a whole. A part may come again; then those that followed have to, too.
     *
     * <p>Fails with {@code INCOMPLETE} where bytes or parts before this one are missing, with
     * {@code FULL} where there is no room for what is kept about segments, and with {@code
     * CONFLICT} where the bytes taken are not those of the summary, or another summary was
     * committed.
     */
    void commit(String jobId, OutputSummary output, Completion completion);

    /**
     * Forgets an output. One that is committed is withdrawn: its map does not know of the commit,
     * and has stored it elsewhere. What is being read of it goes on.
     */
    void abort(String jobId, String output, Completion completion);

    /** A piece on its way in. Used by one thread at a time. */
    interface Piece {
        /**
         * Whether the sink has a piece with the same offset, length and checksum already: then it
         * takes no bytes.
         */
        boolean isHeld();

        /**
         * The memory for the bytes, in this order; the caller writes to all that remains of each
         * buffer, until it ends the piece. Empty where the piece {@link #isHeld}.
         */
        List<ByteBuffer> room();

        /** Every byte is there and fits the checksum. */
        void arrived(Completion completion);

        /** The bytes will not come. */
        void abandon();
    }

    /** Learns how something ended: exactly one method is called, once, by any thread. */
    interface Completion {
        /** It is done. */
        void done();

        /** It is not done, and nothing has changed. */
        void failed(FetchException cause);
    }
}
