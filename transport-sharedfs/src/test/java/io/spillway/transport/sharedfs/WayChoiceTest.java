// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.sharedfs.WayChoice.Leg;
import io.spillway.transport.sharedfs.WayChoice.Way;
import io.spillway.transport.sharedfs.WaySimulation.Speed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The choice between two ways, by a clock of the test. */
class WayChoiceTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int PIECES = 4000;
    private static final double TOLERANCE = 1.05;

    private final WayFigures figures = new WayFigures();
    private long now;

    // ---- never worse than the better way -------------------------------------------------------

    @Property(tries = 60)
    void isNeverMuchWorseThanTheBetterOfTwoSteadyWays(
            @ForAll @DoubleRange(min = 0.05, max = 5) final double sharedLatency,
            @ForAll @DoubleRange(min = 20, max = 1000) final double sharedSpeed,
            @ForAll @DoubleRange(min = 0.05, max = 5) final double nodeLatency,
            @ForAll @DoubleRange(min = 20, max = 1000) final double nodeSpeed,
            @ForAll @IntRange(min = 1, max = 32) final int credits) {
        final WaySimulation simulation =
                new WaySimulation(
                        Speed.steady(sharedLatency, sharedSpeed),
                        Speed.steady(nodeLatency, nodeSpeed),
                        PIECES,
                        credits,
                        0.3);
        assertThat(simulation.chosen()).isLessThan(TOLERANCE * simulation.better());
    }

    @Property(tries = 60)
    void isNeverMuchWorseWhereOneOfThemIsSlowForAWhile(
            @ForAll @DoubleRange(min = 100, max = 1000) final double sharedSpeed,
            @ForAll @DoubleRange(min = 100, max = 1000) final double nodeSpeed,
            @ForAll @DoubleRange(min = 0, max = 1) final double from,
            @ForAll @DoubleRange(min = 0, max = 1) final double to,
            @ForAll @IntRange(min = 1, max = 32) final int credits,
            @ForAll final boolean isShared) {
        final Speed shared = Speed.steady(1, sharedSpeed);
        final Speed node = Speed.steady(0.5, nodeSpeed);
        final WaySimulation simulation =
                new WaySimulation(
                        isShared ? shared.slowBetween(from, to) : shared,
                        isShared ? node : node.slowBetween(from, to),
                        PIECES,
                        credits,
                        0.3);
        assertThat(simulation.chosen()).isLessThan(TOLERANCE * simulation.better());
    }

    // ---- both directions -----------------------------------------------------------------------

    @Test
    void leavesASlowedFileSystemAndComesBackWhenItHasRecovered() {
        final Speed fast = Speed.steady(0.5, 800);
        final Speed node = Speed.steady(0.5, 250);
        for (final int credits : List.of(1, 16)) {
            final WaySimulation slowed =
                    new WaySimulation(fast.slowBetween(0.3, 1), node, PIECES, credits, 0.2);
            slowed.chosen();
            final double left = slowed.sharedPart();
            final WaySimulation recovered =
                    new WaySimulation(fast.slowBetween(0.3, 0.5), node, PIECES, credits, 0.2);
            final double took = recovered.chosen();
            assertThat(recovered.sharedPart()).as("credits=%s", credits).isGreaterThan(left + 0.2);
            assertThat(took).isLessThan(recovered.better());
            assertThat(recovered.figures().get(WayFigures.Figure.SWITCHES))
                    .isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void leavesASlowedNodeAndComesBackWhenItHasRecovered() {
        final Speed shared = Speed.steady(0.5, 250);
        final Speed fast = Speed.steady(0.5, 800);
        for (final int credits : List.of(1, 16)) {
            final WaySimulation slowed =
                    new WaySimulation(shared, fast.slowBetween(0.3, 1), PIECES, credits, 0.2);
            slowed.chosen();
            final double left = slowed.sharedPart();
            final WaySimulation recovered =
                    new WaySimulation(shared, fast.slowBetween(0.3, 0.5), PIECES, credits, 0.2);
            final double took = recovered.chosen();
            assertThat(recovered.sharedPart()).as("credits=%s", credits).isLessThan(left - 0.2);
            assertThat(took).isLessThan(recovered.better());
        }
    }

    @Test
    void probesOneOrTwoPiecesOfAHundred() {
        final WayChoice choice = choice();
        int probes = 0;
        for (int i = 0; i < 10_000; i++) {
            final Leg leg = choice.choose(1000);
            probes += leg.way() == Way.NODE ? 1 : 0;
            now += leg.way() == Way.NODE ? MILLI * 13 / 10 : MILLI;
            leg.ended();
        }
        assertThat(probes).isBetween(100, 200);
        assertThat(figures.get(WayFigures.Figure.PROBES)).isBetween(100L, 200L);
        assertThat(figures.get(WayFigures.Figure.SWITCHES)).isZero();
    }

    @Test
    void probesADearWayMoreRarely() {
        final WayChoice choice = choice();
        long there = 0;
        final long began = now;
        for (int i = 0; i < 20_000; i++) {
            final Leg leg = choice.choose(1000);
            final long took = leg.way() == Way.NODE ? 100 * MILLI : MILLI;
            there += leg.way() == Way.NODE ? took : 0;
            now += took;
            leg.ended();
        }
        assertThat(there).isGreaterThan(100 * MILLI);
        assertThat((double) there / (now - began)).isLessThan(0.03);
    }

    @Test
    void aDifferenceOfATenthIsAReasonToSwitchWhenItHasAddedUp() {
        final WayChoice choice = choice();
        for (int i = 0; i < 200; i++) {
            final Leg leg = choice.choose(1000);
            now += leg.way() == Way.NODE ? MILLI * 9 / 10 : MILLI;
            leg.ended();
            if (i == 80) {
                assertThat(choice.current()).isEqualTo(Way.SHARED);
            }
        }
        assertThat(choice.current()).isEqualTo(Way.NODE);
        assertThat(figures.get(WayFigures.Figure.SWITCHES)).isOne();
    }

    /** Nothing comes back that could be measured. */
    @Test
    void leavesAWayThatHangs() {
        final WayChoice choice = choice();
        for (int i = 0; i < 100; i++) {
            final Leg leg = choice.choose(1000);
            now += MILLI;
            leg.ended();
        }
        assertThat(choice.current()).isEqualTo(Way.SHARED);
        final Leg hanging = choice.take(Way.SHARED, 1000);
        now += 20 * MILLI;
        assertThat(choice.choose(1000).way()).isEqualTo(Way.NODE);
        assertThat(hanging.ageNanos()).isEqualTo(20 * MILLI);
    }

    @Test
    void onePauseIsNoReasonToLeaveAMuchBetterWay() {
        final WayChoice choice = choice();
        for (int i = 0; i < 1000; i++) {
            final Leg leg = choice.choose(1000);
            now += leg.way() == Way.NODE ? 3 * MILLI : MILLI;
            now += i == 500 ? 1000 * MILLI : 0;
            leg.ended();
        }
        assertThat(figures.get(WayFigures.Figure.SWITCHES)).isZero();
    }

    @Test
    void countsWhatIsUnderWay() {
        final WayChoice choice = choice();
        for (int i = 0; i < 100; i++) {
            final Leg leg = choice.choose(1000);
            now += MILLI;
            leg.ended();
        }
        final List<Way> ways = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ways.add(choice.choose(1000).way());
        }
        assertThat(ways).contains(Way.SHARED, Way.NODE);
    }

    @Test
    void whatIsIgnoredTeachesNothing() {
        final WayCost cost = new WayCost(() -> now);
        final WayCost.Flight flight = cost.begin(1000);
        now += 50 * MILLI;
        flight.ignored();
        flight.ended();
        assertThat(cost.isKnown()).isFalse();
        assertThat(cost.underWay()).isZero();
        assertThat(cost.nanosFor(1000)).isZero();
    }

    @Test
    void learnsLatencyAndBandwidth() {
        final WayCost cost = new WayCost(() -> now);
        for (int i = 1; i < 50; i++) {
            final int bytes = 1000 * (1 + i % 7);
            final WayCost.Flight flight = cost.begin(bytes);
            now += MILLI + 10L * bytes;
            flight.ended();
        }
        assertThat(cost.nanosFor(0)).isBetween(0.99 * MILLI, 1.01 * MILLI);
        assertThat(cost.nanosFor(100_000)).isBetween(1.98 * MILLI, 2.02 * MILLI);
    }

    private WayChoice choice() {
        return new WayChoice(new WayCost(() -> now), new WayCost(() -> now), () -> now, figures);
    }
}
