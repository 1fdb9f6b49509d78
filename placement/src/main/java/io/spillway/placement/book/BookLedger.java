// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

/**
 * Enters and removes places, and keeps the sums of nodes, jobs and users true. Guarded by the book.
 */
final class BookLedger {
    private final NodeChoice choice;
    private long places;

    BookLedger(final NodeChoice choice) {
        this.choice = choice;
    }

    /** Those leased and held, of all jobs. */
    long places() {
        return places;
    }

    /** An output may be put to a node. */
    BookPlace lease(final NodeShare share, final BookOutput output, final long bytes) {
        final BookPlace place = enter(share, output, bytes);
        share.lease(bytes);
        output.job().leased(1);
        choice.updateIfPresent(share);
        return place;
    }

    private BookPlace enter(final NodeShare share, final BookOutput output, final long bytes) {
        final BookPlace place = new BookPlace(output, share, bytes);
        output.add(place);
        share.node().add(place);
        output.job().charge(bytes);
        places++;
        return place;
    }

    /** The output turns out to have another length than its lease. */
    void resize(final BookPlace leased, final long bytes) {
        final long difference = bytes - leased.bytes();
        leased.bytes(bytes);
        leased.share().lease(difference);
        leased.output().job().charge(difference);
        choice.updateIfPresent(leased.share());
    }

    /** A node holds an output, leased or not. */
    BookPlace hold(final BookNode node, final BookOutput output, final long bytes) {
        final BookPlace known = output.placeOn(node);
        if (known == null) {
            final BookPlace place = enter(node.memory(), output, bytes);
            place.held();
            node.held(1);
            return place;
        }
        output.job().charge(bytes - known.bytes());
        if (known.isLeased()) {
            known.share().lease(-known.bytes());
            output.job().leased(-1);
            known.held();
            node.held(1);
        }
        known.bytes(bytes);
        return known;
    }

    /** A place is no more: its lease has ended, or its node or job. */
    void remove(final BookPlace place) {
        final BookNode node = place.node();
        final BookOutput output = place.output();
        node.remove(place);
        output.remove(place);
        places--;
        output.job().charge(-place.bytes());
        if (output.first() == null) {
            output.job().remove(output);
        }
        if (place.isLeased()) {
            place.share().lease(-place.bytes());
            output.job().leased(-1);
            choice.updateIfPresent(place.share());
        } else {
            node.held(-1);
        }
        place.gone();
    }
}
