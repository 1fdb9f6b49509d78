// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.store.HeapSpillStore;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.SpillStoreConformance;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TieredSpillStoreTest extends SpillStoreConformance {
    private static final int LENGTH = 2_000_000;

    /** A first tier that overflows in the middle of most spills. */
    @Override
    protected SpillStore newStore() {
        return new TieredSpillStore(
                List.of(new HeapSpillStore("small", 1 << 20), new HeapSpillStore(64 << 20)));
    }

    private static byte[] content() {
        final byte[] bytes = new byte[LENGTH];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    private static Spill write(final SpillStore store, final byte[] bytes) throws IOException {
        try (SpillSink sink = store.create("spill", 0)) {
            for (int at = 0; at < bytes.length; at += 100_000) {
                sink.write(bytes, at, 100_000);
            }
            assertThat(sink.position()).isEqualTo(bytes.length);
            try (InputStream in = sink.readBack()) {
                assertThat(in.readAllBytes()).isEqualTo(bytes);
            }
            return sink.commit();
        }
    }

    private static void expect(final String store, final FaultyStore... tiers) throws IOException {
        try (TieredSpillStore tiered = new TieredSpillStore(List.of(tiers))) {
            final byte[] bytes = content();
            final Spill spill = write(tiered, bytes);
            assertThat(spill.store()).isEqualTo(store);
            try (InputStream in = spill.open(0, LENGTH)) {
                assertThat(in.readAllBytes()).isEqualTo(bytes);
            }
        }
        for (final FaultyStore tier : tiers) {
            final int kept = tier.name().equals(store) ? 1 : 0;
            assertThat(tier.created - kept).as(tier.name()).isLessThanOrEqualTo(tier.aborted);
        }
    }

    @Test
    void staysOnTheFirstTierWhileItWorks() throws IOException {
        final FaultyStore second = FaultyStore.sound("b");
        expect("a", FaultyStore.sound("a"), second);
        assertThat(second.created).isZero();
    }

    @Test
    void overflowsOnCreate() throws IOException {
        expect("b", FaultyStore.failingOnCreate("a"), FaultyStore.sound("b"));
    }

    @Test
    void overflowsInTheMiddle() throws IOException {
        for (final long at : new long[] {0, 50_000, 100_000, 1_950_000}) {
            expect("b", FaultyStore.failingAt("a", at), FaultyStore.sound("b"));
        }
    }

    @Test
    void overflowsAgainWhileItMoves() throws IOException {
        expect(
                "d",
                FaultyStore.failingAt("a", 1_500_000),
                FaultyStore.failingAt("b", 700_000),
                FaultyStore.failingOnCreate("c"),
                FaultyStore.sound("d"));
        expect(
                "c",
                FaultyStore.failingAt("a", 500_000),
                FaultyStore.failingAt("b", 1_000_000),
                FaultyStore.sound("c"));
    }

    @Test
    void overflowsOnCommit() throws IOException {
        expect("b", FaultyStore.failingOnCommit("a"), FaultyStore.sound("b"));
    }

    @Test
    void overflowsFromMemoryToTheNextTier() throws IOException {
        final FaultyStore disk = FaultyStore.sound("disk");
        try (HeapSpillStore memory = new HeapSpillStore(1 << 20);
                TieredSpillStore store = new TieredSpillStore(List.of(memory, disk))) {
            assertThat(write(store, content()).store()).isEqualTo("disk");
            assertThat(memory.usedBytes()).isZero();
            assertThat(store.name()).isEqualTo("memory,disk");
        }
    }

    @Test
    void namesEveryTierWhenNoneIsLeft() throws IOException {
        final FaultyStore a = FaultyStore.failingOnCreate("a");
        final FaultyStore b = FaultyStore.failingAt("b", 500_000);
        final FaultyStore c = FaultyStore.failingAt("c", 100_000);
        try (TieredSpillStore store = new TieredSpillStore(List.of(a, b, c))) {
            assertThatThrownBy(() -> write(store, content()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a: ")
                    .hasMessageContaining("no create on a")
                    .hasMessageContaining("b: ")
                    .hasMessageContaining("no space left on b")
                    .hasMessageContaining("c: ")
                    .hasMessageContaining("no space left on c")
                    .satisfies(
                            all ->
                                    assertThat(all.getSuppressed())
                                            .extracting(Throwable::getMessage)
                                            .containsExactly(
                                                    "no create on a",
                                                    "no space left on b",
                                                    "no space left on c"));
        }
        assertThat(b.aborted).isPositive();
        assertThat(c.aborted).isPositive();
    }

    @Test
    void failsCleanlyWhenATierLosesWhatItTook() throws IOException {
        final FaultyStore lost = FaultyStore.lostAt("a", 500_000);
        final FaultyStore next = FaultyStore.sound("b");
        try (TieredSpillStore store = new TieredSpillStore(List.of(lost, next))) {
            assertThatThrownBy(() -> write(store, content()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no space left on a")
                    .hasMessageContaining("no read on a")
                    .hasRootCauseMessage("no read on a")
                    .satisfies(
                            failure ->
                                    assertThat(failure.getSuppressed())
                                            .extracting(Throwable::getMessage)
                                            .containsExactly("no space left on a"));
        }
        assertThat(lost.aborted).isEqualTo(lost.created);
        assertThat(next.aborted).isEqualTo(next.created);
    }

    @Test
    void givesBackWhatAnAbortedSpillHasTaken() throws IOException {
        final FaultyStore full = FaultyStore.failingAt("a", 300_000);
        try (HeapSpillStore memory = new HeapSpillStore(8 << 20);
                TieredSpillStore store = new TieredSpillStore(List.of(full, memory))) {
            final SpillSink sink = store.create("spill", 0);
            sink.write(content(), 0, 100_000);
            sink.write(content(), 0, LENGTH);
            assertThat(memory.usedBytes()).isPositive();
            sink.abort();
            assertThat(memory.usedBytes()).isZero();
        }
    }

    /** In no more time than passed, and of the tier that has the spill only. */
    @Test
    void measuresHowFastATierTakesWhatItIsGiven() throws IOException {
        final WriteSpeeds speeds = new WriteSpeeds();
        try (TieredSpillStore store =
                new TieredSpillStore(
                        List.of(FaultyStore.failingAt("a", 1_500_000), FaultyStore.sound("b")),
                        TierSelection.inOrder(speeds))) {
            write(store, Arrays.copyOf(content(), 1_200_000));
            final long start = System.nanoTime();
            try (SpillSink sink = store.create("spill", 0)) {
                sink.write(content(), 0, LENGTH);
                sink.commit();
            }
            final double leastSpeed = LENGTH * 1e9 / (System.nanoTime() - start);
            assertThat(speeds.of("a")).isPresent();
            assertThat(speeds.of("b").orElseThrow()).isGreaterThanOrEqualTo(leastSpeed);
        }
    }

    @Test
    void takesNothingMoreAfterAFailure() throws IOException {
        final FaultyStore only = FaultyStore.failingAt("a", 100);
        try (TieredSpillStore store = new TieredSpillStore(List.of(only));
                SpillSink sink = store.create("spill", 0)) {
            sink.write(new byte[100], 0, 100);
            assertThatThrownBy(() -> sink.write(new byte[1], 0, 1)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> sink.write(new byte[0], 0, 0)).isInstanceOf(IOException.class);
            assertThatThrownBy(sink::commit).isInstanceOf(IOException.class);
        }
    }

    @Test
    void needsATier() {
        assertThatThrownBy(() -> new TieredSpillStore(List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
