// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Other nodes that each have the whole of a segment, as the one that was asked says. Immutable.
 *
 * @param places 1 to {@value #MAX_COUNT}, in the order in which they are to be asked
 */
public record SegmentPlaces(List<SegmentPlace> places) implements SegmentAnswer {
    /** The most nodes that have one segment. */
    public static final int MAX_COUNT = 3;

    /**
     * Checks the number of places and copies the list.
     *
     * @throws IllegalArgumentException for none or too many
     */
    public SegmentPlaces {
        places = List.copyOf(places);
        if (places.isEmpty() || places.size() > MAX_COUNT) {
            throw new IllegalArgumentException(
                    "places=" + places.size() + ", expected 1 to " + MAX_COUNT);
        }
    }

    /** A single one. */
    public static SegmentPlaces of(final SegmentPlace place) {
        return new SegmentPlaces(List.of(place));
    }

    @Override
    public String toString() {
        return places.stream().map(SegmentPlace::toString).collect(Collectors.joining(" and "));
    }
}
