// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SlabAllocatorTest {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    /** An array of this size is never copied by G1 with its smallest regions, of 1 MiB. */
    private static final int LARGE = 512 * KIB;

    private static Set<byte[]> arrays(final List<Chunk> chunks) {
        final Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        chunks.forEach(chunk -> arrays.add(chunk.bytes()));
        return arrays;
    }

    private static List<Chunk> cutAll(final SlabAllocator slabs, final int capacity) {
        final List<Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < capacity; i++) {
            chunks.add(slabs.cut(capacity - slabs.chunks()));
            assertThat(slabs.chunks()).isBetween(i + 1, capacity);
        }
        return chunks;
    }

    private static void fill(final Chunk chunk, final int value) {
        final var destination = chunk.destination(chunk.capacity());
        while (destination.remaining() >= Integer.BYTES) {
            destination.putInt(value);
        }
        while (destination.hasRemaining()) {
            destination.put((byte) value);
        }
        chunk.length(chunk.capacity());
    }

    private static void assertFilled(final Chunk chunk, final int value) {
        int at = chunk.offset();
        for (; chunk.end() - at >= Integer.BYTES; at += Integer.BYTES) {
            final int found =
                    (chunk.bytes()[at] & 0xFF) << 24
                            | (chunk.bytes()[at + 1] & 0xFF) << 16
                            | (chunk.bytes()[at + 2] & 0xFF) << 8
                            | (chunk.bytes()[at + 3] & 0xFF);
            assertThat(found).isEqualTo(value);
        }
        for (; at < chunk.end(); at++) {
            assertThat(chunk.bytes()[at]).isEqualTo((byte) value);
        }
    }

    @Property(tries = 60)
    void slicesDoNotOverlapAndTakeTheBudgetToTheByte(
            @ForAll @IntRange(min = 1, max = 40_000) final int chunkSize,
            @ForAll @IntRange(min = 1, max = 200) final int capacity) {
        final SlabAllocator slabs = new SlabAllocator(chunkSize, (long) chunkSize * capacity);
        final List<Chunk> chunks = cutAll(slabs, capacity);
        for (int i = 0; i < capacity; i++) {
            fill(chunks.get(i), i);
        }

        for (int i = 0; i < capacity; i++) {
            assertFilled(chunks.get(i), i);
        }
        assertThat(arrays(chunks).stream().mapToLong(array -> array.length).sum())
                .isEqualTo((long) chunkSize * capacity);
        assertThatThrownBy(() -> slabs.cut(capacity - slabs.chunks()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("room=0");
    }

    @Test
    void theFirstSlabIsSmallAndTheNextOnesGrowWithTheDemand() {
        final int chunkSize = 256 * KIB;
        final int capacity = 64 * MIB / chunkSize;
        final SlabAllocator slabs = new SlabAllocator(chunkSize, 64 * MIB);
        final List<Chunk> chunks = new ArrayList<>();
        for (int used = 1; used <= capacity; used++) {
            chunks.add(slabs.cut(capacity - slabs.chunks()));
            assertThat((long) slabs.chunks() * chunkSize)
                    .isLessThanOrEqualTo(Math.max(SlabAllocator.MIN_BYTES, 2L * used * chunkSize));
        }

        final List<Integer> sizes = arrays(chunks).stream().map(array -> array.length).toList();
        assertThat(sizes).hasSizeLessThan(16).contains(SlabAllocator.MAX_BYTES - chunkSize);
        assertThat(sizes.stream().filter(size -> size < LARGE).count())
                .as("only the last slab may be small")
                .isLessThanOrEqualTo(1);
    }

    @Test
    void aSlabAndItsHeaderFitInWholeRegions() {
        final int chunkSize = 64 * KIB;
        final SlabAllocator slabs = new SlabAllocator(chunkSize, 1L << 40);
        final List<Chunk> chunks = new ArrayList<>();
        while (slabs.chunks() < 32 * MIB / chunkSize) {
            chunks.add(slabs.cut(Integer.MAX_VALUE));
        }

        for (final byte[] slab : arrays(chunks)) {
            final int regions = (slab.length + MIB) / MIB * MIB;
            assertThat(regions - slab.length).isEqualTo(chunkSize);
        }
    }

    @Test
    void aChunkLargerThanASlabIsASlab() {
        final int chunkSize = 2 * SlabAllocator.MAX_BYTES;
        final SlabAllocator slabs = new SlabAllocator(chunkSize, 2L * chunkSize);

        assertThat(slabs.cut(2).bytes()).hasSize(chunkSize);
        assertThat(slabs.chunks()).isEqualTo(1);
    }

    /** What a chunk of the pool must hold while a claim has it. */
    private record Stamped(Chunk chunk, int stamp) {}

    @Property(tries = 200)
    void thePoolKeepsContentAndBudgetWhateverIsTakenTrimmedAndGivenBack(
            @ForAll @IntRange(min = 1, max = 100) final int chunkSize,
            @ForAll @IntRange(min = 2, max = 60) final int capacity,
            @ForAll final long seed) {
        final Random random = new Random(seed);
        final ChunkPool pool = new ChunkPool(chunkSize, capacity, false);
        final Claim claim = pool.claim();
        pool.demand(claim, 0);
        pool.settle(claim);
        pool.startStreaming();
        final List<Stamped> held = new ArrayList<>();
        final long budget = (long) capacity * chunkSize;
        for (int step = 0; step < 500; step++) {
            final int which = held.isEmpty() ? 0 : random.nextInt(held.size());
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    if (pool.surplus() > 0) {
                        pool.demand(claim, 1);
                        final Chunk chunk = pool.take(claim);
                        fill(chunk, step);
                        held.add(new Stamped(chunk, step));
                    }
                    pool.demand(claim, 0);
                }
                case 2 -> {
                    if (!held.isEmpty()) {
                        pool.giveBack(claim, held.remove(which).chunk());
                    }
                }
                default -> {
                    if (!held.isEmpty() && held.get(which).chunk().isPooled()) {
                        final Stamped old = held.get(which);
                        old.chunk().length(random.nextInt(chunkSize + 1) & -Integer.BYTES);
                        held.set(which, new Stamped(pool.trim(claim, old.chunk()), old.stamp()));
                    }
                }
            }
            assertThat(pool.allocatedBytes()).isLessThanOrEqualTo(budget);
            assertThat(pool.surplus()).isNotNegative();
            held.forEach(each -> assertFilled(each.chunk(), each.stamp()));
        }
        assertThat(pool.peakBytes()).isLessThanOrEqualTo(budget);
        held.forEach(each -> pool.giveBack(claim, each.chunk()));
        pool.demand(claim, capacity);
        for (int i = 0; i < capacity; i++) {
            assertThat(pool.canTakeSurplus(claim)).isTrue();
            pool.take(claim);
        }
        assertThat(pool.allocatedBytes()).isEqualTo(budget);
        assertThat(pool.peakBytes()).isEqualTo(budget);
    }
}
