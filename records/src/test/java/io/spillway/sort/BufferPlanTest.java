// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Buffers whose records become longer, or shorter, while they are filled. */
class BufferPlanTest {
    private static final int CAPACITY = 1 << 20;

    /** The most of the capacity that both arrays take, and both while one of them grows. */
    private enum Heap {
        ROOMY(Long.MAX_VALUE, 1.101, 1.251),
        TIGHT(1, 1.032, 1.095);

        private final long maxBytes;
        private final double settled;
        private final double growing;

        Heap(final long maxBytes, final double settled, final double growing) {
            this.maxBytes = maxBytes;
            this.settled = settled;
            this.growing = growing;
        }
    }

    private static final class Arrays {
        private final Heap heap;
        private final BufferPlan plan;
        private int data;
        private int entries;

        Arrays(final Heap heap) {
            this.heap = heap;
            plan = new BufferPlan(CAPACITY, heap.maxBytes);
            data = plan.firstData();
            entries = plan.firstEntries();
        }

        /** Whether there is room for so many records of so many bytes. */
        boolean hold(final int records, final long bytes) {
            final int oldData = data;
            final int oldEntries = entries;
            boolean fits = true;
            if (bytes > data) {
                final int grown = plan.growData(bytes, data, entries, bytes, records);
                fits = grown != 0;
                data = fits ? grown : data;
                requireWithin(heap.growing, (fits ? oldData : 0L) + data + 16L * entries);
            }
            if (fits && records > entries) {
                final int grown = plan.growEntries(entries, data, bytes, records);
                fits = grown != 0;
                entries = fits ? grown : entries;
                requireWithin(heap.growing, data + 16L * ((fits ? oldEntries : 0L) + entries));
            }
            requireWithin(heap.settled, data + 16L * entries);
            return fits;
        }

        private void requireWithin(final double share, final long allocated) {
            if (allocated > share * CAPACITY) {
                throw new AssertionError("allocated=" + allocated + ", expected " + share);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void keepsToItsHeapWhenRecordsChangeTheirLength(final Heap heap) {
        final int[] lengths = {2, 4, 16, 50, 200, 1000, 10_000};
        for (final int first : lengths) {
            for (final int second : lengths) {
                for (int twentieths = 1; twentieths < 20; twentieths++) {
                    fill(heap, first, second, CAPACITY / 20 * twentieths);
                }
            }
        }
    }

    /** Fills a buffer whose records are of another length from so many used bytes on. */
    private static void fill(final Heap heap, final int first, final int second, final int change) {
        final Arrays arrays = new Arrays(heap);
        int records = 0;
        long bytes = 0;
        boolean fits = true;
        while (fits && bytes + 16L * records < CAPACITY) {
            bytes += bytes + 16L * records < change ? first : second;
            records++;
            fits = arrays.hold(records, bytes);
        }
        assertThat(bytes + 16L * records).isGreaterThanOrEqualTo(change);
    }
}
