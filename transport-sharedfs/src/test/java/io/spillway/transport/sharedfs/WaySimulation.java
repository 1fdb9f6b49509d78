// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

/**
 * A reducer that keeps some pieces under way to one host, by a clock of its own. Each way carries
 * the bytes of one piece at a time, and each piece has the way's latency besides.
 */
final class WaySimulation {
    private static final double MILLI = 1e6;
    private static final int SMALLEST = 4 << 10;
    private static final int LARGEST = 256 << 10;

    /**
     * How one way is at each time.
     *
     * @param latencyMillis of a piece
     * @param megabytesASecond by the part of the pieces that have begun, from 0 to 1
     */
    record Speed(double latencyMillis, DoubleUnaryOperator megabytesASecond) {
        static Speed steady(final double latencyMillis, final double megabytesASecond) {
            return new Speed(latencyMillis, part -> megabytesASecond);
        }

        /** A tenth of the speed between two parts of the job. */
        Speed slowBetween(final double from, final double to) {
            return new Speed(
                    latencyMillis,
                    part ->
                            megabytesASecond.applyAsDouble(part)
                                    * (part >= from && part < to ? 0.1 : 1));
        }
    }

    /** What takes the pieces' way. */
    private interface Decision {
        WayChoice.Leg next(long bytes);
    }

    private record Piece(WayChoice.Leg leg, double end) {}

    private final Map<WayChoice.Way, Speed> speeds = new EnumMap<>(WayChoice.Way.class);
    private final Map<WayChoice.Way, Double> busyUntil = new EnumMap<>(WayChoice.Way.class);
    private final Map<WayChoice.Way, Integer> taken = new EnumMap<>(WayChoice.Way.class);
    private final int pieces;
    private final int credits;
    private final double jitter;
    private final WayFigures figures = new WayFigures();
    private double now;

    /**
     * Creates a simulation.
     *
     * @param jitter how much longer a piece takes by chance, in parts of its time
     */
    WaySimulation(
            final Speed shared,
            final Speed node,
            final int pieces,
            final int credits,
            final double jitter) {
        speeds.put(WayChoice.Way.SHARED, shared);
        speeds.put(WayChoice.Way.NODE, node);
        this.pieces = pieces;
        this.credits = credits;
        this.jitter = jitter;
    }

    /** The time of the whole by choice, in milliseconds. */
    double chosen() {
        final WayChoice choice = newChoice();
        return run(choice::choose);
    }

    /** The time of the whole by one way. */
    double only(final WayChoice.Way way) {
        final WayChoice choice = newChoice();
        return run(bytes -> choice.take(way, bytes));
    }

    double better() {
        return Math.min(only(WayChoice.Way.SHARED), only(WayChoice.Way.NODE));
    }

    private WayChoice newChoice() {
        return new WayChoice(
                new WayCost(this::nanos), new WayCost(this::nanos), this::nanos, figures);
    }

    private long nanos() {
        return (long) now;
    }

    private double run(final Decision decision) {
        now = 0;
        busyUntil.clear();
        taken.clear();
        final Random random = new Random(7);
        final PriorityQueue<Piece> underWay =
                new PriorityQueue<>(Comparator.comparingDouble(Piece::end));
        for (int i = 0; i < pieces || !underWay.isEmpty(); i++) {
            if (i >= pieces || underWay.size() == credits) {
                final Piece first = underWay.poll();
                now = Math.max(now, first.end());
                first.leg().ended();
            }
            if (i < pieces) {
                final int bytes = SMALLEST + random.nextInt(LARGEST - SMALLEST);
                final WayChoice.Leg leg = decision.next(bytes);
                taken.merge(leg.way(), 1, Integer::sum);
                final double slower = 1 + jitter * random.nextDouble();
                underWay.add(new Piece(leg, end(leg.way(), bytes, slower, (double) i / pieces)));
            }
        }
        return now / MILLI;
    }

    private double end(
            final WayChoice.Way way, final int bytes, final double slower, final double part) {
        final Speed speed = speeds.get(way);
        final double nanosPerByte = 1e3 / speed.megabytesASecond().applyAsDouble(part);
        final double carried =
                Math.max(now, busyUntil.getOrDefault(way, 0.0)) + bytes * nanosPerByte * slower;
        busyUntil.put(way, carried);
        return carried + speed.latencyMillis() * MILLI * slower;
    }

    /** The part of the pieces that went through the shared file system in the last run. */
    double sharedPart() {
        return taken.getOrDefault(WayChoice.Way.SHARED, 0) / (double) pieces;
    }

    WayFigures figures() {
        return figures;
    }
}
