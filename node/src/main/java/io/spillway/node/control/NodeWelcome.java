// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import java.nio.ByteBuffer;
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

    static final BodyBounds BODY =
            BodyBounds.of(2 * Long.BYTES)
                    .plusList(
                            MAX_OFFERS,
                            BodyBounds.of(Integer.BYTES)
                                    .plusLong(1, MAX_TRANSPORT_LENGTH)
                                    .plusLong(1, ControlFrameType.MAX_NAME_LENGTH));

    /** Copies the list. */
    public NodeWelcome {
        offers = List.copyOf(offers);
    }

    /** The whole frame. */
    public ByteBuffer encode() {
        return ControlFrameType.WELCOME
                .writer()
                .int64(epoch)
                .int64(pid)
                .list(offers, NodeWelcome::write)
                .finish();
    }

    private static void write(final FrameWriter out, final TransportOffer offer) {
        out.text("transport", offer.transport(), 1, MAX_TRANSPORT_LENGTH)
                .text("host", offer.address().host(), 1, ControlFrameType.MAX_NAME_LENGTH)
                .int32(offer.address().port());
    }

    /** Reads a body. */
    public static NodeWelcome decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = ControlFrameType.WELCOME.reader(body);
        final long epoch = in.int64("epoch", Long.MIN_VALUE);
        final long pid = in.int64("pid", 0);
        final List<TransportOffer> offers =
                in.list("offers", 0, MAX_OFFERS, NodeWelcome::readOffer);
        in.end();
        return new NodeWelcome(epoch, pid, offers);
    }

    private static TransportOffer readOffer(final FrameReader in) throws MalformedFrameException {
        final String name = in.text("transport", 1, MAX_TRANSPORT_LENGTH);
        final String host = in.text("host", 1, ControlFrameType.MAX_NAME_LENGTH);
        final int port = in.int32("port", 0, MAX_PORT);
        try {
            return new TransportOffer(name, new NodeAddress(host, port));
        } catch (final IllegalArgumentException e) {
            throw in.malformed("transport", name, "such as ucx");
        }
    }
}
