// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.TestSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class RunSequenceTest {
    /** What a place holds: no run yet, none ever, or one that satisfies the condition or not. */
    private enum Place {
        TO_COME,
        EMPTY,
        TAKEN,
        REFUSED
    }

    private static final Set<Place> HAS_RUN = EnumSet.of(Place.TAKEN, Place.REFUSED);

    @Property(tries = 300)
    void stretchesAreWhatNoOtherRecordsCanComeInBetween(
            @ForAll @IntRange(min = 1, max = 60) final int places, @ForAll final long seed)
            throws IOException {
        final Random random = new Random(seed);
        final MergeFixture fixture = new MergeFixture(1024, 2 * 60);
        final TestSegment segment = TestSegment.of(List.of(new TestSegment.Entry("k", "v")), null);
        final Place[] held = new Place[places];
        final List<Integer> order = new ArrayList<>();
        for (int place = 0; place < places; place++) {
            held[place] = random.nextInt(6) == 0 ? Place.TO_COME : Place.values()[1 + any(random)];
            order.add(place);
        }
        Collections.shuffle(order, random);
        final RunSequence runs = new RunSequence();
        for (final int place : order) {
            if (held[place] == Place.EMPTY) {
                runs.add(MemoryRun.empty(place, place));
            } else if (held[place] != Place.TO_COME) {
                runs.add(fixture.segment(segment, place));
            }
        }

        final List<List<Integer>> expected = stretches(held);
        assertThat(placesOf(runs, held)).isEqualTo(expected);
        assertThat(runs.stream().count())
                .isEqualTo(order.stream().filter(place -> HAS_RUN.contains(held[place])).count());

        takeOneOutAndPutItBack(runs, held, random);
        assertThat(placesOf(runs, held)).isEqualTo(expected);
    }

    private static int any(final Random random) {
        return random.nextInt(Place.values().length - 1);
    }

    private static void takeOneOutAndPutItBack(
            final RunSequence runs, final Place[] held, final Random random) {
        final List<List<MemoryRun>> stretches = of(runs, held);
        if (!stretches.isEmpty()) {
            final List<MemoryRun> some = stretches.get(random.nextInt(stretches.size()));
            final List<MemoryRun> head = some.subList(0, 1 + random.nextInt(some.size()));
            runs.remove(head);
            assertThat(runs.stream()).doesNotContainAnyElementsOf(head);
            head.forEach(runs::add);
        }
    }

    private static List<List<MemoryRun>> of(final RunSequence runs, final Place[] held) {
        return runs.stretches(run -> number(run, held) >= 0);
    }

    /** The place of a run that satisfies the condition, else -1; its own may begin before it. */
    private static int number(final MemoryRun run, final Place[] held) {
        int place = run.first();
        while (held[place] == Place.EMPTY) {
            place++;
        }
        return held[place] == Place.TAKEN ? place : -1;
    }

    private static List<List<Integer>> placesOf(final RunSequence runs, final Place[] held) {
        return of(runs, held).stream()
                .map(stretch -> stretch.stream().map(run -> number(run, held)).toList())
                .toList();
    }

    private static List<List<Integer>> stretches(final Place[] held) {
        final List<List<Integer>> stretches = new ArrayList<>();
        List<Integer> stretch = new ArrayList<>();
        for (int place = 0; place < held.length; place++) {
            switch (held[place]) {
                case TAKEN -> stretch.add(place);
                case EMPTY -> {}
                case TO_COME, REFUSED -> {
                    stretches.add(stretch);
                    stretch = new ArrayList<>();
                }
            }
        }
        stretches.add(stretch);
        stretches.removeIf(List::isEmpty);
        return stretches;
    }
}
