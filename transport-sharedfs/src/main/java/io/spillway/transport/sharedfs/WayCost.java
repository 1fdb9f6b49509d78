// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * What a fetch by one way takes: latency + (bytes under way + its own) / bandwidth. Both are fitted
 * to the fetches that have ended, the last ones counting most (recursive least squares with
 * forgetting). Times are in nanoseconds of one monotonic clock. Thread-safe.
 */
final class WayCost {
    /** The weight that earlier fetches keep: some ten count. */
    private static final double KEPT = 0.9;

    /**
     * One fetch counts as no more than so many times what was expected: a pause of this process
     * does not drive it to another way, and a way that has become slow shows in three fetches.
     */
    private static final double MOST_SURPRISE = 4;

    /** Where lengths differ by less than this part, they say nothing of the bandwidth. */
    private static final double LEAST_SPREAD = 0.1;

    private final LongSupplier clock;
    private final Set<Flight> flights = new LinkedHashSet<>();
    private long underWay;

    private double weight;
    private double sumBytes;
    private double sumNanos;
    private double sumSquares;
    private double sumProducts;

    private double latency;
    private double nanosPerByte;

    /** Nothing is known. */
    WayCost(final LongSupplier clock) {
        this.clock = clock;
    }

    /** One fetch that is under way. */
    final class Flight {
        private final long bytes;
        private final long bytesAhead;
        private final long began = clock.getAsLong();

        private Flight(final long bytes, final long bytesAhead) {
            this.bytes = bytes;
            this.bytesAhead = bytesAhead;
        }

        /** How long it has been under way. */
        long ageNanos() {
            return clock.getAsLong() - began;
        }

        /** It has brought its bytes, or is waited for no longer: it took at least this time. */
        void ended() {
            WayCost.this.ended(this, true);
        }

        /** What became of it says nothing about the way. */
        void ignored() {
            WayCost.this.ended(this, false);
        }
    }

    /** A fetch of so many bytes goes this way. */
    synchronized Flight begin(final long bytes) {
        final Flight flight = new Flight(bytes, underWay);
        flights.add(flight);
        underWay += bytes;
        return flight;
    }

    private synchronized void ended(final Flight flight, final boolean counts) {
        if (!flights.remove(flight)) {
            return;
        }
        underWay -= flight.bytes;
        if (counts) {
            final long bytes = flight.bytesAhead + Math.max(1, flight.bytes);
            learn((double) bytes, (double) Math.max(1, flight.ageNanos()));
        }
    }

    private void learn(final double bytes, final double nanos) {
        final double believed =
                isKnown() ? Math.min(nanos, MOST_SURPRISE * Math.max(1, expected(bytes))) : nanos;
        weight = KEPT * weight + 1;
        sumBytes = KEPT * sumBytes + bytes;
        sumNanos = KEPT * sumNanos + believed;
        sumSquares = KEPT * sumSquares + bytes * bytes;
        sumProducts = KEPT * sumProducts + bytes * believed;
        fit(sumBytes / weight, sumNanos / weight);
    }

    /**
     * Neither latency nor the time for a byte is ever negative. Where the last fetches cannot tell
     * them apart, the latency stays, and what has changed is the bandwidth.
     */
    private void fit(final double meanBytes, final double meanNanos) {
        final double variance = sumSquares / weight - meanBytes * meanBytes;
        final boolean isSpread = variance > Math.pow(LEAST_SPREAD * meanBytes, 2);
        final double slope =
                isSpread ? (sumProducts / weight - meanBytes * meanNanos) / variance : 0;
        latency =
                slope > 0
                        ? Math.max(0, meanNanos - slope * meanBytes)
                        : Math.min(latency, meanNanos);
        nanosPerByte = (meanNanos - latency) / meanBytes;
    }

    private double expected(final double bytes) {
        return latency + nanosPerByte * bytes;
    }

    /** Whether a fetch has ended that counts. */
    synchronized boolean isKnown() {
        return weight > 0;
    }

    /** The bytes of fetches that have not ended. */
    synchronized long underWay() {
        return underWay;
    }

    /**
     * What a fetch of so many bytes would take from now on; at least as long as the oldest has been
     * under way. 0 where nothing is known and nothing under way.
     */
    synchronized double nanosFor(final long bytes) {
        final Iterator<Flight> oldest = flights.iterator();
        final double waited = oldest.hasNext() ? oldest.next().ageNanos() : 0;
        return Math.max(waited, expected((double) underWay + bytes));
    }
}
