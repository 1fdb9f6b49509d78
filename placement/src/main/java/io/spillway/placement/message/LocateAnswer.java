// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Answers a {@link LocateRequest}. Immutable.
 *
 * @param places of each output, in the order of the question: the nodes that hold it as a whole
 */
public record LocateAnswer(List<List<SegmentPlace>> places) {
    /** Checks the sizes and copies the lists. */
    public LocateAnswer {
        places = places.stream().map(List::copyOf).toList();
        if (places.size() > LocateRequest.MAX_OUTPUTS) {
            throw new IllegalArgumentException(
                    "outputs=" + places.size() + ", expected 0 to " + LocateRequest.MAX_OUTPUTS);
        }
        for (final List<SegmentPlace> ofOutput : places) {
            if (ofOutput.size() > LeaseRequest.MAX_COPIES) {
                throw new IllegalArgumentException(
                        "places=" + ofOutput.size() + ", expected 0 to " + LeaseRequest.MAX_COPIES);
            }
        }
    }

    /** The whole message. */
    public ByteBuffer encode() {
        return MessageKind.LOCATED
                .writer()
                .list(places, (writer, each) -> writer.list(each, Places::write))
                .finish();
    }

    /** Reads a message; its position stays. */
    public static LocateAnswer decode(final ByteBuffer message) throws MalformedFrameException {
        final FrameReader in = MessageKind.LOCATED.reader(message);
        final List<List<SegmentPlace>> places =
                in.list("outputs", 0, LocateRequest.MAX_OUTPUTS, LocateAnswer::places);
        in.end();
        return new LocateAnswer(places);
    }

    private static List<SegmentPlace> places(final FrameReader in) throws MalformedFrameException {
        return in.list("places", 0, LeaseRequest.MAX_COPIES, Places::read);
    }
}
