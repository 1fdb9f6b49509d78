// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Answers a fetch with other nodes, which have the segment; the connection lives on.
 *
 * @param requestId of the fetch
 * @param places the other nodes
 */
public record ElsewhereFrame(long requestId, SegmentPlaces places) {
    private static final BodyBounds PLACE =
            BodyBounds.of(Long.BYTES + Integer.BYTES).plusShort(0, SegmentPlace.MAX_HOST_LENGTH);

    static final BodyBounds BODY =
            BodyBounds.of(Long.BYTES + Integer.BYTES)
                    .plus(PLACE.least(), SegmentPlaces.MAX_COUNT * PLACE.most());

    private static final int MAX_PORT = 65_535;

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.ELSEWHERE, version);
        out.putLong(requestId).putInt(places.places().size());
        for (final SegmentPlace place : places.places()) {
            final String host = place.address().host();
            out.putLong(place.epoch()).putInt(place.address().port());
            Texts.put(out, Texts.name("host", host, SegmentPlace.MAX_HOST_LENGTH));
        }
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static ElsewhereFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.ELSEWHERE, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final List<SegmentPlace> places =
                in.list("places", 1, SegmentPlaces.MAX_COUNT, ElsewhereFrame::place);
        in.end();
        return new ElsewhereFrame(requestId, new SegmentPlaces(places));
    }

    private static SegmentPlace place(final FrameReader in) throws MalformedFrameException {
        final long epoch = in.int64("epoch", Long.MIN_VALUE);
        final int port = in.int32("port", 1, MAX_PORT);
        final String host = in.name("host", SegmentPlace.MAX_HOST_LENGTH);
        return new SegmentPlace(new NodeAddress(host, port), epoch);
    }
}
