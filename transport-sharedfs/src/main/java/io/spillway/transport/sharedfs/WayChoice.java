// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Chooses, piece by piece, between reading a host's outputs through the shared file system and
 * fetching them from the host. It stays with one way until the other would take clearly less, and
 * sends a few pieces the other way to know what it takes now. Both directions are alike. Times are
 * in nanoseconds of one monotonic clock. Thread-safe.
 */
final class WayChoice {
    /** The two ways. */
    enum Way {
        /** Through the shared file system. */
        SHARED,
        /** From the node. */
        NODE;

        private Way other() {
            return this == SHARED ? NODE : SHARED;
        }
    }

    /** The other way is taken at once when it would take less than this part. */
    private static final double CLEARLY_LESS = 0.85;

    /** It is taken as well when staying has cost the time of so many pieces, little by little. */
    private static final double DEAREST_STAY = 10;

    /** One piece of so many at most goes the other way to measure it. */
    private static final int PIECES_A_PROBE = 64;

    /** Probes take one part in so many of the time at most. */
    private static final double TIMES_A_PROBE = 50;

    /** What a probe is taken to cost at most: later it is not waited for any more. */
    private static final double DEAREST_PROBE = TimeUnit.SECONDS.toNanos(1);

    /** A probe that took less than this part of what was expected is followed by another. */
    private static final double SURPRISE = 0.5;

    private final WayCost shared;
    private final WayCost node;
    private final LongSupplier clock;
    private final WayFigures figures;

    private Way current = Way.SHARED;
    private int piecesSinceProbe;
    private long probedAt;
    private boolean isProbing;
    private boolean isSurprised;

    /** What staying has cost, in pieces. */
    private double lost;

    /**
     * A choice that stands on the shared file system.
     *
     * @param shared the cost of reading, for all hosts
     * @param node the cost of fetching from this host
     */
    WayChoice(
            final WayCost shared,
            final WayCost node,
            final LongSupplier clock,
            final WayFigures figures) {
        this.shared = shared;
        this.node = node;
        this.clock = clock;
        this.figures = figures;
        this.probedAt = clock.getAsLong();
    }

    /** The way of one piece, from its choice to its end. */
    final class Leg {
        private final Way way;
        private final WayCost.Flight flight;
        private final boolean isProbe;
        private final double expected;

        private Leg(final Way way, final long bytes, final boolean isProbe) {
            this.way = way;
            this.isProbe = isProbe;
            this.expected = cost(way).nanosFor(bytes);
            this.flight = cost(way).begin(bytes);
        }

        Way way() {
            return way;
        }

        /** How long the piece has been under way. */
        long ageNanos() {
            return flight.ageNanos();
        }

        /** The bytes are here, or are waited for no longer. */
        void ended() {
            final long took = flight.ageNanos();
            flight.ended();
            probeEnded(took < SURPRISE * expected);
        }

        /** Its end says nothing about the way. */
        void ignored() {
            flight.ignored();
            probeEnded(false);
        }

        private void probeEnded(final boolean wasSurprising) {
            if (isProbe) {
                WayChoice.this.probeEnded(wasSurprising);
            }
        }
    }

    private WayCost cost(final Way way) {
        return way == Way.SHARED ? shared : node;
    }

    private synchronized void probeEnded(final boolean wasSurprising) {
        isProbing = false;
        isSurprised = wasSurprising;
    }

    /** Chooses for a piece that can go both ways, and begins it. */
    synchronized Leg choose(final long bytes) {
        if (!shared.isKnown() || !node.isKnown()) {
            return new Leg(explore(), bytes, false);
        }
        final Way other = current.other();
        final double there = cost(other).nanosFor(bytes);
        if (isTooDear(cost(current).nanosFor(bytes), there)) {
            current = other;
            piecesSinceProbe = 0;
            isSurprised = false;
            lost = 0;
            figures.count(WayFigures.Figure.SWITCHES);
        } else if (isProbeDue(there)) {
            isProbing = true;
            piecesSinceProbe = 0;
            probedAt = clock.getAsLong();
            figures.count(WayFigures.Figure.PROBES);
            return new Leg(other, bytes, true);
        }
        piecesSinceProbe++;
        return new Leg(current, bytes, false);
    }

    /** Until both are known, what is known of a way is what is under way there. */
    private Way explore() {
        if (shared.isKnown() != node.isKnown()) {
            final Way unknown = shared.isKnown() ? Way.NODE : Way.SHARED;
            return cost(unknown).underWay() == 0 ? unknown : unknown.other();
        }
        return shared.underWay() <= node.underWay() ? Way.SHARED : Way.NODE;
    }

    private boolean isTooDear(final double here, final double there) {
        lost = Math.max(0, lost + 1 - there / here);
        return there < CLEARLY_LESS * here || lost > DEAREST_STAY;
    }

    private boolean isProbeDue(final double cost) {
        if (isProbing) {
            return false;
        }
        final double rest = TIMES_A_PROBE * Math.min(cost, DEAREST_PROBE);
        return isSurprised
                || (piecesSinceProbe >= PIECES_A_PROBE && clock.getAsLong() - probedAt >= rest);
    }

    /** Begins a piece that goes this way, whatever it costs. */
    Leg take(final Way way, final long bytes) {
        return new Leg(way, bytes, false);
    }

    /** What a piece of so many bytes would take from the node. */
    double nodeNanos(final long bytes) {
        return node.nanosFor(bytes);
    }

    /** The way that pieces go now. */
    synchronized Way current() {
        return current;
    }
}
