// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
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
    static final BodyBounds BODY =
            BodyBounds.of(2 * Long.BYTES + 3 * Integer.BYTES).plusShort(0, OpaqueId.MAX_LENGTH);

    /** The longest encoding, header included. */
    public static final int MAX_LENGTH = FrameHeader.LENGTH + BODY.most();

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final byte[] name = Texts.id("output", output);
        final int start = FrameHeader.begin(out, FrameType.FETCH, version);
        out.putLong(requestId).putInt(partition).putInt(run).putLong(offset).putInt(length);
        Texts.put(out, name);
        FrameHeader.end(out, start);
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
