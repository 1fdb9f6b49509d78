// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

/** An output with at least one place, leased or held. Guarded by the book. */
final class BookOutput {
    private final BookJob job;
    private final String name;
    private BookPlace first;

    BookOutput(final BookJob job, final String name) {
        this.job = job;
        this.name = name;
    }

    BookJob job() {
        return job;
    }

    String name() {
        return name;
    }

    /** The first of its places; null where it has none any more. */
    BookPlace first() {
        return first;
    }

    /** Its place on a node, or null. */
    BookPlace placeOn(final BookNode node) {
        BookPlace place = first;
        while (place != null && place.node() != node) {
            place = place.nextOfOutput();
        }
        return place;
    }

    void add(final BookPlace place) {
        place.nextOfOutput(first);
        first = place;
    }

    void remove(final BookPlace place) {
        if (first == place) {
            first = place.nextOfOutput();
            return;
        }
        BookPlace before = first;
        while (before.nextOfOutput() != place) {
            before = before.nextOfOutput();
        }
        before.nextOfOutput(place.nextOfOutput());
    }
}
