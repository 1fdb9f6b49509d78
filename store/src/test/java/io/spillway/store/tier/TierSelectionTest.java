// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.store.HeapSpillStore;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.UnusableStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TierSelectionTest {
    private static final long MIB = 1 << 20;
    private static final long SECOND = 1_000_000_000;
    private static final double SLOW = 64.0 * MIB;

    private final WriteSpeeds speeds = new WriteSpeeds();
    private final List<SpillStore> chain =
            List.of(
                    new HeapSpillStore("memory", 64 * MIB),
                    new HeapSpillStore("nvm", 64 * MIB),
                    new HeapSpillStore("disk", 64 * MIB));

    private void measured(final String tier, final long mibPerSecond) {
        speeds.wrote(tier, mibPerSecond * MIB, SECOND);
    }

    private List<String> order(final TierSelection selection) {
        return selection.order(chain).stream().map(SpillStore::name).toList();
    }

    private String first() {
        return order(TierSelection.bySpeed(speeds, SLOW)).get(0);
    }

    @Test
    void withoutMeasurementsTheOrderHolds() {
        assertThat(order(TierSelection.bySpeed(speeds, SLOW)))
                .containsExactly("memory", "nvm", "disk");
    }

    @Test
    void aLaterTierMustBeManyTimesAsFastAsASlowOne() {
        measured("memory", 50);
        measured("nvm", 150);
        measured("disk", 150);
        assertThat(first()).isEqualTo("memory");

        measured("disk", 2500);
        assertThat(order(TierSelection.bySpeed(speeds, SLOW)))
                .containsExactly("disk", "memory", "nvm");
    }

    /** A disk seems fast as long as the page cache takes what is written. */
    @Test
    void aTierThatIsNotSlowIsNeverLeft() {
        measured("memory", 65);
        measured("disk", 100_000);
        assertThat(first()).isEqualTo("memory");
    }

    @Test
    void coldTiersAreProbedOnlyWhereTheTierInUseIsSlow() {
        measured("memory", 65);
        assertThat(first()).isEqualTo("memory");

        final WriteSpeeds slow = new WriteSpeeds();
        slow.wrote("memory", 60 * MIB, SECOND);
        final TierSelection selection = TierSelection.bySpeed(slow, SLOW);
        assertThat(order(selection).get(0)).isEqualTo("nvm");
        slow.wrote("nvm", 70 * MIB, SECOND);
        assertThat(order(selection).get(0)).as("disk is cold still").isEqualTo("disk");
        slow.wrote("disk", 50 * MIB, SECOND);
        assertThat(order(selection).get(0)).as("none is much faster").isEqualTo("memory");
    }

    @Test
    void aTierThatWasPassedOverGetsAnotherChance() {
        measured("memory", 1);
        measured("nvm", 1000);
        measured("disk", 100);
        final TierSelection selection = TierSelection.bySpeed(speeds, SLOW);

        final List<String> firsts =
                IntStream.range(0, 2 * TierSelection.PROBE_EVERY)
                        .mapToObj(i -> order(selection).get(0))
                        .toList();

        assertThat(firsts).containsOnly("nvm", "memory");
        assertThat(firsts).filteredOn("memory"::equals).hasSize(2);
    }

    @Test
    void inOrderNeverLooksAtSpeeds() {
        measured("memory", 1);
        measured("disk", 1000);

        assertThat(order(TierSelection.inOrder(speeds))).containsExactly("memory", "nvm", "disk");
    }

    @Test
    void aChainMeasuresWhatItWrites() throws IOException {
        final List<SpillStore> stores = new ArrayList<>(chain);
        try (TieredSpillStore tiered =
                        new TieredSpillStore(stores, TierSelection.bySpeed(speeds, SLOW));
                SpillSink sink = tiered.create("s", 2 * MIB)) {
            sink.write(new byte[(int) (2 * MIB)]);
            sink.commit();
        }

        assertThat(speeds.of("memory").orElseThrow()).isPositive();
        assertThat(speeds.of("disk")).isEmpty();
    }

    @Test
    void aChainGoesOnWithTheOthersWhenTheFastestIsFull() throws IOException {
        measured("memory", 1);
        measured("nvm", 1000);
        final SpillStore full = new UnusableStore("nvm", "full");
        try (TieredSpillStore tiered =
                        new TieredSpillStore(
                                List.of(chain.get(0), full, chain.get(2)),
                                TierSelection.bySpeed(speeds, SLOW));
                SpillSink sink = tiered.create("s", 3)) {
            sink.write(new byte[3]);
            assertThat(sink.commit().store()).isEqualTo("memory");
        }
    }
}
