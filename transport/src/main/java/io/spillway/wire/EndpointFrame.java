// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Over a proved connection, each side's end of another path between the same two: the client sends
 * its own first, and the node answers with the node's. What is said over the other path begins with
 * the id that the receiver chose here. Immutable.
 */
public final class EndpointFrame {
    /** The longest address, in bytes. */
    public static final int MAX_ADDRESS_LENGTH = 2048;

    static final BodyBounds BODY = BodyBounds.of(Long.BYTES).plusLong(1, MAX_ADDRESS_LENGTH);

    private final long id;
    private final byte[] address;

    /**
     * Creates a frame.
     *
     * @param id what this side is to be spoken to by
     * @param address where the other path ends at this side, as that path's library writes it; all
     *     that remains of the buffer, which stays as it is
     * @throws IllegalArgumentException for an empty or too long address
     */
    public EndpointFrame(final long id, final ByteBuffer address) {
        final int length = address.remaining();
        if (length < 1 || length > MAX_ADDRESS_LENGTH) {
            throw new IllegalArgumentException(
                    "address length=" + length + ", expected 1 to " + MAX_ADDRESS_LENGTH);
        }
        this.id = id;
        this.address = new byte[length];
        address.duplicate().get(this.address);
    }

    /** What its sender is to be spoken to by. */
    public long id() {
        return id;
    }

    /** Where the other path ends at its sender. */
    public ByteBuffer address() {
        return ByteBuffer.wrap(address).asReadOnlyBuffer();
    }

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.ENDPOINT, version);
        out.putLong(id).putInt(address.length).put(address);
        FrameHeader.end(out, start);
    }

    /** Reads a body. */
    public static EndpointFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.ENDPOINT, body);
        final long id = in.int64("id", Long.MIN_VALUE);
        final byte[] address =
                in.bytes("address", in.int32("address length", 1, MAX_ADDRESS_LENGTH));
        in.end();
        return new EndpointFrame(id, ByteBuffer.wrap(address));
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof EndpointFrame frame
                && id == frame.id
                && Arrays.equals(address, frame.address);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(id) + Arrays.hashCode(address);
    }

    @Override
    public String toString() {
        return "EndpointFrame[id=" + id + ", address of " + address.length + " bytes]";
    }
}
