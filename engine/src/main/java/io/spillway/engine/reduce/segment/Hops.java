// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The way of the requests for one output from node to node: which nodes have sent them on since it
 * last brought bytes, and which of the named ones have failed. Owned by the loop's thread.
 */
public final class Hops {
    /** An output that is put elsewhere again may be on its way: more than that is a loop. */
    static final int MOST = 4;

    private final List<NodeAddress> passed = new ArrayList<>(0);
    private final List<NodeAddress> failed = new ArrayList<>(0);
    private List<SegmentPlace> named = List.of();

    /** Of the nodes that are named, the first that has not failed; when all have, the first. */
    public SegmentPlace choose(final SegmentPlaces places) {
        named = places.places();
        for (final SegmentPlace place : named) {
            if (!failed.contains(place.address())) {
                return place;
            }
        }
        failed.clear();
        return named.get(0);
    }

    /** Whether another node was named beside one, and has not failed. */
    public boolean hasOther(final NodeAddress current) {
        return named.stream()
                .map(SegmentPlace::address)
                .anyMatch(other -> !other.equals(current) && !failed.contains(other));
    }

    /**
     * A node names another one.
     *
     * @return why the other one is not to be asked, or null
     */
    public String sentOn(final NodeAddress from, final NodeAddress to) {
        passed.add(from);
        if (!passed.contains(to) && passed.size() <= MOST) {
            return null;
        }
        final String way =
                passed.stream().map(NodeAddress::toString).collect(Collectors.joining(" to "));
        return "its nodes send each other's requests on, from "
                + way
                + " to "
                + to
                + ", and none has it";
    }

    /** A node that was named has failed: the way begins anew. */
    public void failedAt(final NodeAddress node) {
        failed.add(node);
        passed.clear();
    }

    /** Bytes have come. */
    public void arrived() {
        passed.clear();
    }
}
