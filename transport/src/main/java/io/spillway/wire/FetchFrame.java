// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.transport.OpaqueId;
import java.nio.ByteBuffer;

/**
 * Asks for a piece of a segment.
 *
 * @param requestId chosen by the client, comes back with the answer
 * @param partition the reducer's number
 * @param run which of the segment's runs, from 0
 * @param offset where the piece starts in the segment
 * @param length the most bytes to send; fewer come at the segment's end
 * @param output the name of the output, an {@link OpaqueId}
 */
public record FetchFrame(
        long requestId, int partition, int run, long offset, int length, String output) {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the partition in the body. */
    public static final int PARTITION_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the run in the body. */
    public static final int RUN_OFFSET = PARTITION_OFFSET + Integer.BYTES;

    /** Offset of the piece's start in the body. */
    public static final int OFFSET_OFFSET = RUN_OFFSET + Integer.BYTES;

    /** Offset of the piece's length in the body. */
    public static final int LENGTH_OFFSET = OFFSET_OFFSET + Long.BYTES;

    /** Offset of the output's name in the body: two bytes of length, then text. */
    public static final int OUTPUT_OFFSET = LENGTH_OFFSET + Integer.BYTES;

    /** The shortest body, in bytes. */
    public static final int MIN_BODY_LENGTH = OUTPUT_OFFSET + Short.BYTES;

    /** The longest body, in bytes. */
    public static final int MAX_BODY_LENGTH = MIN_BODY_LENGTH + OpaqueId.MAX_LENGTH;

    /** The longest encoding, header included. */
    public static final int MAX_LENGTH = FrameHeader.LENGTH + MAX_BODY_LENGTH;

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final byte[] name = Texts.id("output", output);
        FrameHeader.encode(out, FrameType.FETCH, version, MIN_BODY_LENGTH + name.length);
        out.putLong(requestId).putInt(partition).putInt(run).putLong(offset).putInt(length);
        Texts.put(out, name);
    }

    /** Reads a body. */
    public static FetchFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.FETCH, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int partition = in.int32("partition", 0, Integer.MAX_VALUE);
        final int run = in.int32("run", 0, Integer.MAX_VALUE);
        final long offset = in.int64("offset", 0);
        final int length = in.int32("length", 0, Integer.MAX_VALUE);
        final String output = in.id("output");
        in.end();
        return new FetchFrame(requestId, partition, run, offset, length, output);
    }
}
