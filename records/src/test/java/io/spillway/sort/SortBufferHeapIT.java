// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;

/** A sort buffer larger than the heap that the tests have. */
class SortBufferHeapIT {
    private static final int CAPACITY = 2047 << 20;

    /** Counts and checks what overflows. */
    private static final class Counter implements SortBuffer.Overflow {
        private SortBuffer buffer;
        private long spills;
        private long records;
        private long sum;

        @Override
        public void spill() {
            final SortedRecords sorted = buffer.sort();
            for (int i = 0; i < sorted.records(); i++) {
                sum += BigEndian.readLong(sorted.data(), sorted.valueOffset(i));
            }
            spills++;
            records += sorted.records();
            buffer.clear();
        }
    }

    @Test
    void goesOnSmallerWhenTheHeapHasNoRoom() throws IOException {
        assertThat(Runtime.getRuntime().maxMemory()).isLessThan(CAPACITY);
        final Counter counter = new Counter();
        final SortBuffer buffer =
                new SortBuffer(CAPACITY, 2, KeyOrders.of(new Text.Comparator()), counter);
        counter.buffer = buffer;
        final Random random = new Random(1);
        final byte[] key = KeyBytes.text("0123456789");
        final byte[] value = new byte[1000];
        final int count = 1_500_000;
        long sum = 0;
        for (int i = 0; i < count; i++) {
            final long number = random.nextLong();
            for (int b = 0; b < 8; b++) {
                value[b] = (byte) (number >>> (56 - 8 * b));
                key[1 + b] = (byte) (number >>> (8 * b));
            }
            sum += number;
            buffer.beginRecord();
            buffer.stream().write(key);
            buffer.endKey();
            buffer.stream().write(value);
            buffer.endRecord(i & 1);
        }
        counter.spill();
        assertThat(counter.records).isEqualTo(count);
        assertThat(counter.sum).isEqualTo(sum);
        assertThat(counter.spills).isBetween(2L, 20L);
    }
}
