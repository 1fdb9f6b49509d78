// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.Texts;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers a fetch with other nodes, which have the segment; the connection lives on.
 *
 * @param requestId of the fetch
 * @param places the other nodes
 */
public record ElsewhereFrame(long requestId, SegmentPlaces places) {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the number of places in the body: four bytes. */
    public static final int COUNT_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the first place in the body; each of the others follows the one before. */
    public static final int PLACES_OFFSET = COUNT_OFFSET + Integer.BYTES;

    /** Offset of the other node's epoch in a place. */
    public static final int EPOCH_OFFSET = 0;

    /** Offset of the other node's port in a place: four bytes. */
    public static final int PORT_OFFSET = EPOCH_OFFSET + Long.BYTES;

    /** Offset of the other node's host in a place: two bytes of length, then text. */
    public static final int HOST_OFFSET = PORT_OFFSET + Integer.BYTES;

    private static final int MIN_PLACE_LENGTH = HOST_OFFSET + Short.BYTES;

    /** The shortest body, in bytes. */
    public static final int MIN_BODY_LENGTH = PLACES_OFFSET + MIN_PLACE_LENGTH;

    /** The longest body, in bytes. */
    public static final int MAX_BODY_LENGTH =
            PLACES_OFFSET
                    + SegmentPlaces.MAX_COUNT * (MIN_PLACE_LENGTH + SegmentPlace.MAX_HOST_LENGTH);

    private static final int MAX_PORT = 65_535;

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final List<byte[]> hosts = places.places().stream().map(ElsewhereFrame::hostOf).toList();
        final int hostBytes = hosts.stream().mapToInt(host -> host.length).sum();
        FrameHeader.encode(
                out,
                FrameType.ELSEWHERE,
                version,
                PLACES_OFFSET + hosts.size() * MIN_PLACE_LENGTH + hostBytes);
        out.putLong(requestId).putInt(hosts.size());
        for (int i = 0; i < hosts.size(); i++) {
            final SegmentPlace place = places.places().get(i);
            out.putLong(place.epoch()).putInt(place.address().port());
            Texts.put(out, hosts.get(i));
        }
    }

    private static byte[] hostOf(final SegmentPlace place) {
        return Texts.name("host", place.address().host(), SegmentPlace.MAX_HOST_LENGTH);
    }

    /** Reads a body. */
    public static ElsewhereFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.ELSEWHERE, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final int count = in.int32("places", 1, SegmentPlaces.MAX_COUNT);
        final List<SegmentPlace> places = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            places.add(place(in));
        }
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
