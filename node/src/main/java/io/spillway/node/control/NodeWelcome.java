// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The node process's answer to a {@link ManagerHello}. Immutable.
 *
 * @param epoch its incarnation
 * @param pid its process id
 * @param offers how it can be fetched from
 */
public record NodeWelcome(long epoch, long pid, List<TransportOffer> offers) {
    /** The most offers. */
    public static final int MAX_OFFERS = 16;

    private static final int MAX_TRANSPORT_LENGTH = 16;
    private static final int MAX_PORT = 65_535;

    static final int MIN_BODY_LENGTH = 2 * Long.BYTES + Integer.BYTES;
    static final int MAX_BODY_LENGTH =
            MIN_BODY_LENGTH
                    + MAX_OFFERS
                            * (3 * Integer.BYTES
                                    + MAX_TRANSPORT_LENGTH
                                    + ControlTexts.MAX_NAME_LENGTH);

    /** Copies the list. */
    public NodeWelcome {
        offers = List.copyOf(offers);
    }

    /** The whole frame. */
    public ByteBuffer encode() {
        int length = MIN_BODY_LENGTH;
        final List<byte[]> names = new ArrayList<>();
        final List<byte[]> hosts = new ArrayList<>();
        for (final TransportOffer offer : offers) {
            names.add(ControlTexts.bytes("transport", offer.transport(), MAX_TRANSPORT_LENGTH));
            hosts.add(
                    ControlTexts.bytes(
                            "host", offer.address().host(), ControlTexts.MAX_NAME_LENGTH));
            length += Integer.BYTES;
        }
        length += names.stream().mapToInt(ControlTexts::lengthOf).sum();
        length += hosts.stream().mapToInt(ControlTexts::lengthOf).sum();
        final ByteBuffer out = ControlFrameType.WELCOME.allocate(length);
        out.putLong(epoch).putLong(pid).putInt(offers.size());
        for (int i = 0; i < offers.size(); i++) {
            ControlTexts.put(out, names.get(i));
            ControlTexts.put(out, hosts.get(i));
            out.putInt(offers.get(i).address().port());
        }
        return out.flip();
    }

    /** Reads a body. */
    public static NodeWelcome decode(final ByteBuffer body) throws MalformedFrameException {
        final ControlReader in = new ControlReader(ControlFrameType.WELCOME, body);
        final long epoch = in.int64("epoch", Long.MIN_VALUE);
        final long pid = in.int64("pid", 0);
        final List<TransportOffer> offers = new ArrayList<>();
        for (int left = in.int32("offers", 0, MAX_OFFERS); left > 0; left--) {
            offers.add(readOffer(in));
        }
        in.end();
        return new NodeWelcome(epoch, pid, offers);
    }

    private static TransportOffer readOffer(final ControlReader in) throws MalformedFrameException {
        final String name = in.text("transport", 1, MAX_TRANSPORT_LENGTH);
        final String host = in.text("host", 1, ControlTexts.MAX_NAME_LENGTH);
        final int port = in.int32("port", 0, MAX_PORT);
        try {
            return new TransportOffer(name, new NodeAddress(host, port));
        } catch (final IllegalArgumentException e) {
            throw MalformedFrameException.of(
                    ControlFrameType.WELCOME, "transport", name, "such as ucx");
        }
    }
}
