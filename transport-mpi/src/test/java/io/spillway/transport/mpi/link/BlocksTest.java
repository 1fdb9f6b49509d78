// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class BlocksTest {
    private static final int BASE = 8 << 20;
    private static final int BYTES = 1 << 20;

    /** Bytes that are taken. */
    private record Taken(int offset, int length) {}

    @Property(tries = 200)
    void neverGivesAByteTwiceAndForgetsNone(@ForAll final long seed) {
        final Random random = new Random(seed);
        final Blocks blocks = new Blocks(BASE, BYTES);
        final BitSet owned = new BitSet(BYTES);
        final List<Taken> taken = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            if (taken.isEmpty() || random.nextBoolean()) {
                take(blocks, 1 + random.nextInt(BYTES / 4), owned, taken);
            } else {
                final Taken back = taken.remove(random.nextInt(taken.size()));
                assertThat(blocks.give(back.offset(), back.length())).isTrue();
                mark(owned, back, false);
            }
        }
        taken.forEach(left -> assertThat(blocks.give(left.offset(), left.length())).isTrue());
        assertThat(blocks.isEmpty()).isTrue();
        assertThat(blocks.take(BYTES)).isEqualTo(BASE);
    }

    private static void take(
            final Blocks blocks, final int length, final BitSet owned, final List<Taken> taken) {
        final int offset = blocks.take(length);
        if (offset < 0) {
            assertThat(hasRoomFor(length, owned)).isFalse();
            return;
        }
        final Taken range = new Taken(offset, length);
        final int first = offset - BASE;
        assertThat(owned.get(first, first + length).isEmpty()).isTrue();
        taken.add(range);
        mark(owned, range, true);
    }

    private static void mark(final BitSet owned, final Taken range, final boolean isOwned) {
        final int first = range.offset() - BASE;
        owned.set(first, first + range.length(), isOwned);
    }

    /** Whether there are so many whole blocks one behind the other. */
    private static boolean hasRoomFor(final int length, final BitSet owned) {
        final int needed = (length + Blocks.BLOCK_BYTES - 1) / Blocks.BLOCK_BYTES;
        int free = 0;
        for (int block = 0; block < BYTES / Blocks.BLOCK_BYTES; block++) {
            free = owned.get(block * Blocks.BLOCK_BYTES) ? 0 : free + 1;
            if (free == needed) {
                return true;
            }
        }
        return false;
    }

    @Test
    void takesBackNothingThatItHasNotGiven() {
        final Blocks blocks = new Blocks(BASE, BYTES);
        final int offset = blocks.take(100_000);
        assertThat(blocks.give(offset + 1, 100_000)).isFalse();
        assertThat(blocks.give(offset, 200_000)).isFalse();
        assertThat(blocks.give(offset, 0)).isFalse();
        assertThat(blocks.give(offset, Integer.MAX_VALUE)).isFalse();
        assertThat(blocks.give(BASE - Blocks.BLOCK_BYTES, 10)).isFalse();
        assertThat(blocks.give(Integer.MIN_VALUE, 10)).isFalse();
        assertThat(blocks.give(offset, 100_000)).isTrue();
        assertThat(blocks.give(offset, 100_000)).isFalse();
    }
}
