package io.spillway.wire;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;

/**
 * Answers a fetch with another node, which has the segment; the connection lives on.
 *
 * @param requestId of the fetch
 * @param place the other node
 */
public record ElsewhereFrame(long requestId, SegmentPlace place) {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the other node's epoch in the body. */
    public static final int EPOCH_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the other node's port in the body: four bytes. */
    public static final int PORT_OFFSET = EPOCH_OFFSET + Long.BYTES;

    /** Offset of the other node's host in the body: two bytes of length, then text. */
    public static final int HOST_OFFSET = PORT_OFFSET + Integer.BYTES;

    static final int MIN_BODY_LENGTH = HOST_OFFSET + Short.BYTES;
    static final int MAX_BODY_LENGTH = MIN_BODY_LENGTH + SegmentPlace.MAX_HOST_LENGTH;

    private static final int MAX_PORT = 65_535;

    /** Writes header and body. */
    public void encode(final ByteBuffer out) {
        final byte[] host =
                Texts.name("host", place.address().host(), SegmentPlace.MAX_HOST_LENGTH);
        FrameHeader.encode(out, FrameType.ELSEWHERE, MIN_BODY_LENGTH + host.length);
        out.putLong(requestId).putLong(place.epoch()).putInt(place.address().port());
        Texts.put(out, host);
    }

    /** Reads a body. */
    public static ElsewhereFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.ELSEWHERE, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final long epoch = in.int64("epoch", Long.MIN_VALUE);
        final int port = in.int32("port", 1, MAX_PORT);
        final String host = in.name("host", SegmentPlace.MAX_HOST_LENGTH);
        in.end();
        return new ElsewhereFrame(requestId, new SegmentPlace(new NodeAddress(host, port), epoch));
    }
}
