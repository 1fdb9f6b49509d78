// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;

/**
 * Who a node is. Immutable.
 *
 * @param name its name in the cluster, 1 to {@value SegmentPlace#MAX_HOST_LENGTH} printable
 *     characters of ASCII without blanks; of two nodes with one name the younger counts
 * @param place its port for tcp and its epoch, which grows with each start of the node
 */
public record NodeIdentity(String name, SegmentPlace place) {
    /** Checks the fields. */
    public NodeIdentity {
        if (name.isEmpty()
                || name.length() > SegmentPlace.MAX_HOST_LENGTH
                || !name.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new IllegalArgumentException(
                    "node="
                            + name
                            + ", expected 1 to "
                            + SegmentPlace.MAX_HOST_LENGTH
                            + " printable characters of ASCII");
        }
    }

    /** Creates it of its parts. */
    public NodeIdentity(final String name, final NodeAddress address, final long epoch) {
        this(name, new SegmentPlace(address, epoch));
    }

    /** Its port for tcp. */
    public NodeAddress address() {
        return place.address();
    }

    /** Its incarnation. */
    public long epoch() {
        return place.epoch();
    }

    /** Writes the fields. */
    public void encode(final FrameWriter out) {
        Places.write(out.name("node", name, SegmentPlace.MAX_HOST_LENGTH), place);
    }

    /** Reads the fields. */
    public static NodeIdentity decode(final FrameReader in) throws MalformedFrameException {
        final String name = in.name("node", SegmentPlace.MAX_HOST_LENGTH);
        return new NodeIdentity(name, Places.read(in));
    }

    @Override
    public String toString() {
        return name + " at " + place;
    }
}
