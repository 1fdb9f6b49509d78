// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Answers a {@link LeaseRequest}. Immutable.
 *
 * @param places where to put the output: as many as copies were asked for, or fewer where no other
 *     node has room; none means to keep it
 */
public record LeaseAnswer(List<SegmentPlace> places) {
    /** Checks the size and copies the list. */
    public LeaseAnswer {
        places = List.copyOf(places);
        if (places.size() > LeaseRequest.MAX_COPIES) {
            throw new IllegalArgumentException(
                    "places=" + places.size() + ", expected 0 to " + LeaseRequest.MAX_COPIES);
        }
    }

    /** The whole message. */
    public ByteBuffer encode() {
        return MessageKind.LEASED.writer().list(places, Places::write).finish();
    }

    /** Reads a message; its position stays. */
    public static LeaseAnswer decode(final ByteBuffer message) throws MalformedFrameException {
        final FrameReader in = MessageKind.LEASED.reader(message);
        final List<SegmentPlace> places =
                in.list("places", 0, LeaseRequest.MAX_COPIES, Places::read);
        in.end();
        return new LeaseAnswer(places);
    }
}
