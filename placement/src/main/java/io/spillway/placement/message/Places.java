// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;

/** The layout of nodes' addresses in messages. */
final class Places {
    private static final int MAX_PORT = 65_535;

    private Places() {}

    static void writeAddress(final FrameWriter out, final NodeAddress address) {
        out.name("host", address.host(), SegmentPlace.MAX_HOST_LENGTH).int32(address.port());
    }

    static NodeAddress readAddress(final FrameReader in) throws MalformedFrameException {
        final String host = in.name("host", SegmentPlace.MAX_HOST_LENGTH);
        return new NodeAddress(host, in.int32("port", 1, MAX_PORT));
    }

    static void write(final FrameWriter out, final SegmentPlace place) {
        writeAddress(out, place.address());
        out.int64(place.epoch());
    }

    static SegmentPlace read(final FrameReader in) throws MalformedFrameException {
        final NodeAddress address = readAddress(in);
        return new SegmentPlace(address, in.int64("epoch", Long.MIN_VALUE));
    }
}
