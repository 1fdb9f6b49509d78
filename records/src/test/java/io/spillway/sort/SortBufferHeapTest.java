// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sort buffer larger than the heap that the tests have: an array cannot be had as it grows. */
class SortBufferHeapTest {
    private static final int TOO_MUCH = 2047 << 20;

    /** Counts what overflows. */
    private static final class Counter implements SortBuffer.Overflow {
        private final SortBuffer buffer;
        private long records;
        private long valueBytes;

        Counter(final KeyOrder order) {
            buffer = new SortBuffer(TOO_MUCH, 1, order, this);
        }

        @Override
        public void spill() {
            final SortedRecords sorted = buffer.sort();
            for (int i = 0; i < sorted.records(); i++) {
                records++;
                valueBytes += sorted.valueLength(i);
            }
            buffer.clear();
        }
    }

    private static void add(final SortBuffer buffer, final byte[] key, final byte[] value)
            throws IOException {
        buffer.beginRecord();
        buffer.stream().write(key);
        buffer.endKey();
        buffer.stream().write(value);
        buffer.endRecord(0);
    }

    @BeforeEach
    void requireLessHeap() {
        assertThat(Runtime.getRuntime().maxMemory()).isLessThan(TOO_MUCH);
    }

    @Test
    void goesOnSmallerWhereThereIsNoRoomForTheBytes() throws IOException {
        final Counter counter = new Counter(KeyOrders.of(new Text.Comparator()));
        final SortBuffer buffer = counter.buffer;
        final byte[] value = new byte[1 << 20];
        final int count = TOO_MUCH / 8 / value.length;
        for (int i = 0; i < count; i++) {
            add(buffer, KeyBytes.text("k"), value);
        }
        assertThat(buffer.heapBytes()).isBetween(TOO_MUCH / 16L, 3L * TOO_MUCH / 4);
        counter.spill();
        add(buffer, KeyBytes.text("k"), new byte[7]);
        counter.spill();
        assertThat(counter.records).isEqualTo(count + 1);
        assertThat(counter.valueBytes).isEqualTo((long) count * value.length + 7);
    }

    @Test
    void goesOnSmallerWhereThereIsNoRoomForTheEntries() throws IOException {
        final Counter counter = new Counter(KeyOrders.of(new NullWritable.Comparator()));
        final SortBuffer buffer = counter.buffer;
        final int count = 5_000_000;
        for (int i = 0; i < count; i++) {
            add(buffer, new byte[0], new byte[0]);
        }
        assertThat(buffer.heapBytes()).isBetween(16L * count, 3L * TOO_MUCH / 4);
        counter.spill();
        add(buffer, new byte[0], new byte[0]);
        counter.spill();
        assertThat(counter.records).isEqualTo(count + 1);
    }
}
