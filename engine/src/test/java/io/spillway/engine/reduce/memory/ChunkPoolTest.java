// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ChunkPoolTest {
    private static final int SIZE = 64;

    @Test
    void refusesMoreClaimsThanItHasChunksFor() {
        final ChunkPool pool = new ChunkPool(SIZE, 5, false);
        pool.claim();
        pool.claim();

        assertThatThrownBy(pool::claim).hasMessageContaining("capacity=5");
    }

    @Test
    void aClaimTakesOneChunkAndNoMoreWhileAnotherIsSetAside() {
        final ChunkPool pool = new ChunkPool(SIZE, 100, false);
        final Claim claim = pool.claim();
        pool.take(claim);

        assertThat(pool.canTake(claim)).isFalse();
        assertThat(pool.surplus()).isEqualTo(98);
        assertThatThrownBy(() -> pool.take(claim)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void commitsAPartOfASegment() {
        final ChunkPool pool = new ChunkPool(SIZE, 10, false);
        final Claim claim = pool.claim();
        pool.claim();
        pool.take(claim);
        pool.demand(claim, 20);

        assertThat(pool.commit(claim, 8)).isFalse();
        assertThat(pool.commit(claim, 7)).isTrue();
        assertThat(pool.surplus()).isZero();
        for (int i = 0; i < 7; i++) {
            pool.take(claim);
        }
        assertThat(pool.canTake(claim)).isFalse();
    }

    @Test
    void aLimitKeepsWhatIsAllocatedOrSetAside() {
        final ChunkPool pool = new ChunkPool(SIZE, 20, false);
        final Claim claim = pool.claim();
        final Claim other = pool.claim();
        pool.demand(claim, 20);
        assertThat(pool.commit(claim, 6)).isTrue();
        for (int i = 0; i < 6; i++) {
            pool.take(claim);
        }

        pool.limit(12);
        assertThat(pool.surplus()).as("of 12, with 6 out and 2 for the other").isEqualTo(4);
        pool.limit(1);
        assertThat(pool.allocatedBytes()).isGreaterThanOrEqualTo(6 * SIZE);
        final long left = pool.surplus();
        pool.limit(20);

        assertThat(pool.surplus()).as("never more again").isEqualTo(left);
        assertThat(pool.canTake(other)).isTrue();
        pool.take(other);
        pool.verify();
    }

    @Test
    void whileStreamingByDemandTheSurplusIsForWhomItIsGivenTo() {
        final ChunkPool pool = new ChunkPool(SIZE, 6, false);
        final Claim claim = pool.claim();
        final Claim other = pool.claim();
        pool.take(claim);
        pool.take(other);
        pool.startStreaming();

        assertThat(pool.canTake(claim)).isFalse();
        for (int i = 0; i < 4; i++) {
            assertThat(pool.canTakeSurplus(claim)).isTrue();
            pool.take(claim);
        }
        assertThat(pool.canTakeSurplus(claim)).isFalse();
    }

    @Test
    void whileStreamingWithStaticWindowsTheSurplusIsSharedEvenly() {
        final ChunkPool pool = new ChunkPool(SIZE, 6, true);
        final Claim claim = pool.claim();
        pool.claim();
        pool.startStreaming();

        for (int i = 0; i < 3; i++) {
            assertThat(pool.canTake(claim)).isTrue();
            pool.take(claim);
        }
        assertThat(pool.canTake(claim)).isFalse();
    }

    @Test
    void refusesAChunkThatIsGivenBackTwice() {
        final ChunkPool pool = new ChunkPool(SIZE, 4, false);
        final Claim claim = pool.claim();
        final Chunk chunk = pool.take(claim);
        pool.giveBack(claim, chunk);

        assertThatThrownBy(() -> pool.giveBack(claim, chunk)).hasMessageContaining("twice");
    }

    @Test
    void commitsAWholeSegmentOnlyOutOfTheSurplus() {
        final ChunkPool pool = new ChunkPool(SIZE, 10, false);
        final Claim first = pool.claim();
        final Claim second = pool.claim();
        pool.take(first);
        pool.demand(first, 7);
        assertThat(pool.surplus()).isEqualTo(6);
        assertThat(pool.commitWhole(first)).isTrue();
        assertThat(pool.surplus()).isZero();
        pool.take(second);
        pool.demand(second, 2);

        assertThat(pool.commitWhole(second)).isFalse();
        assertThat(pool.canTake(second)).isFalse();
        for (int i = 0; i < 7; i++) {
            pool.take(first);
        }
        assertThat(pool.canTake(first)).isFalse();
    }

    @Test
    void recyclesChunks() {
        final ChunkPool pool = new ChunkPool(SIZE, 4, false);
        final Claim claim = pool.claim();
        final Chunk chunk = pool.take(claim);
        pool.giveBack(claim, chunk);

        assertThat(pool.take(claim)).isSameAs(chunk);
        assertThat(pool.peakBytes()).isEqualTo(SIZE);
    }

    @Test
    void aTrimmedChunkCountsWithItsSize() {
        final ChunkPool pool = new ChunkPool(SIZE, 2, false);
        final Claim claim = pool.claim();
        final Chunk chunk = pool.take(claim);
        chunk.bytes()[0] = 42;
        chunk.length(10);
        pool.demand(claim, 0);
        pool.settle(claim);

        final Chunk small = pool.trim(claim, chunk);

        assertThat(small.bytes()).hasSize(10).startsWith(42);
        assertThat(claim.held()).isZero();
        assertThat(pool.surplus()).isEqualTo(1);
        pool.giveBack(claim, small);
        assertThat(pool.surplus()).isEqualTo(2);
    }

    /** The run is here, but another run of its map is not: all may be fetched once more. */
    @Test
    void aChunkOfAClaimThatMayRestartIsNotTrimmed() {
        final ChunkPool pool = new ChunkPool(SIZE, 2, false);
        final Claim claim = pool.claim();
        final Chunk chunk = pool.take(claim);
        chunk.length(10);
        pool.demand(claim, 0);

        assertThat(pool.trim(claim, chunk)).isSameAs(chunk);
        pool.verify();
    }

    @Test
    void aFullChunkIsNotTrimmed() {
        final ChunkPool pool = new ChunkPool(SIZE, 2, false);
        final Claim claim = pool.claim();
        final Chunk chunk = pool.take(claim);
        pool.demand(claim, 0);
        pool.settle(claim);
        chunk.length(SIZE / 2 + 1);

        assertThat(pool.trim(claim, chunk)).isSameAs(chunk);
    }

    /** What the absence of deadlocks rests on, under random use. */
    @Property(tries = 300)
    void whoHoldsNothingAlwaysGetsAChunkAndTheBudgetHolds(
            @ForAll @IntRange(min = 1, max = 12) final int claims,
            @ForAll @IntRange(min = 0, max = 20) final int spare,
            @ForAll final boolean sharesEvenly,
            @ForAll final long seed) {
        final Random random = new Random(seed);
        final int capacity = 2 * claims + spare;
        final ChunkPool pool = new ChunkPool(SIZE, capacity, sharesEvenly);
        final List<Claim> all = new ArrayList<>();
        final List<List<Chunk>> held = new ArrayList<>();
        for (int i = 0; i < claims; i++) {
            all.add(pool.claim());
            held.add(new ArrayList<>());
        }
        boolean streaming = false;
        for (int step = 0; step < 400; step++) {
            final int i = random.nextInt(claims);
            final Claim claim = all.get(i);
            final List<Chunk> chunks = held.get(i);
            switch (random.nextInt(streaming ? 3 : 7)) {
                case 0, 1 -> {
                    if (pool.canTake(claim) || pool.canTakeSurplus(claim)) {
                        chunks.add(pool.take(claim));
                    }
                }
                case 2 -> {
                    if (!chunks.isEmpty()) {
                        pool.giveBack(claim, chunks.remove(random.nextInt(chunks.size())));
                    }
                }
                case 3 -> {
                    if (claim.demand() == Claim.UNKNOWN && !chunks.isEmpty()) {
                        pool.demand(claim, random.nextInt(10));
                    }
                }
                case 4 -> {
                    if (claim.demand() != Claim.UNKNOWN) {
                        pool.commit(claim, random.nextInt(claim.demand() + 1));
                    }
                }
                case 5 -> {
                    chunks.forEach(chunk -> pool.giveBack(claim, chunk));
                    chunks.clear();
                    pool.restart(claim);
                }
                default -> {
                    if (step > 250) {
                        all.stream()
                                .filter(c -> c.demand() == Claim.UNKNOWN)
                                .forEach(c -> pool.demand(c, random.nextInt(10)));
                        pool.startStreaming();
                        streaming = true;
                    }
                }
            }
            assertThat(pool.surplus()).isNotNegative();
            pool.verify();
            for (final Claim each : all) {
                if (each.held() == 0 && each.demand() > 0) {
                    assertThat(pool.canTake(each)).isTrue();
                }
            }
            assertThat(held.stream().mapToInt(List::size).sum()).isLessThanOrEqualTo(capacity);
            assertThat(pool.peakBytes()).isLessThanOrEqualTo((long) capacity * SIZE);
        }
    }
}
