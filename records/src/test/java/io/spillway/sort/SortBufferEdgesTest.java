// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;

/** Where a sort buffer is just full. */
class SortBufferEdgesTest {
    private static final int KIB = 1 << 10;
    private static final int CAPACITY = 64 * KIB;

    private static final KeyOrder TEXT = KeyOrders.of(new Text.Comparator());
    private static final KeyOrder NOTHING = KeyOrders.of(new NullWritable.Comparator());

    /** Keeps the lengths of the values that overflow, in their order; fails on demand. */
    private static final class Spills implements SortBuffer.Overflow {
        private final List<Integer> lengths = new ArrayList<>();
        private final SortBuffer buffer;
        private int spills;
        private boolean fails;

        Spills(final int capacity, final KeyOrder order) {
            buffer = new SortBuffer(capacity, 1, order, this);
        }

        @Override
        public void spill() throws IOException {
            if (fails) {
                throw new IOException("disk full");
            }
            spills++;
            final SortedRecords sorted = buffer.sort();
            for (int i = 0; i < sorted.records(); i++) {
                lengths.add(sorted.valueLength(i));
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

    /** Key and value of NullWritable: nothing is ever written to the stream. */
    private static void addNothing(final SortBuffer buffer) throws IOException {
        buffer.beginRecord();
        buffer.endKey();
        buffer.endRecord(0);
    }

    /** The header is longer than that of the record before, and is written when all else is in. */
    @Test
    void makesRoomForAHeaderThatIsLongerThanExpected() throws IOException {
        int overflows = 0;
        final int first = CAPACITY / 2;
        for (int length = first - 120; length < first; length++) {
            final Spills spills = new Spills(CAPACITY, TEXT);
            add(spills.buffer, KeyBytes.text("a"), new byte[first]);
            add(spills.buffer, KeyBytes.text("b"), new byte[1]);
            spills.buffer.beginRecord();
            spills.buffer.stream().write(KeyBytes.text("c"));
            spills.buffer.endKey();
            spills.buffer.stream().write(new byte[length]);
            final boolean fit = spills.spills == 0;
            spills.buffer.endRecord(0);
            if (fit && spills.spills > 0) {
                overflows++;
            }
            spills.spill();
            assertThat(spills.lengths).containsExactly(first, 1, length);
        }
        assertThat(overflows).isPositive();
    }

    @Test
    void takesRecordsOfWhichNothingIsWritten() throws IOException {
        final Spills spills = new Spills(16 * CAPACITY, NOTHING);
        for (int i = 0; i < 200_000; i++) {
            addNothing(spills.buffer);
        }
        spills.spill();
        assertThat(spills.spills).isBetween(3, 6);
        assertThat(spills.lengths).hasSize(200_000).containsOnly(0);
    }

    @Test
    void isNotInARecordWhenTheOverflowBeforeItFails() throws IOException {
        final Spills spills = new Spills(CAPACITY, NOTHING);
        spills.fails = true;
        int added = 0;
        IOException failure = null;
        while (failure == null) {
            try {
                addNothing(spills.buffer);
                added++;
            } catch (final IOException e) {
                failure = e;
            }
        }
        assertThat(failure).hasMessage("disk full");
        assertThat(spills.buffer.records()).isEqualTo(added);
        spills.fails = false;
        addNothing(spills.buffer);
        spills.spill();
        assertThat(spills.lengths).hasSize(added + 1);
    }

    @Test
    void countsTheBytesOfCompleteRecordsOnly() throws IOException {
        final SortBuffer buffer = new Spills(CAPACITY, TEXT).buffer;
        add(buffer, KeyBytes.text("a"), new byte[10]);
        assertThat(buffer.bytes()).isEqualTo(2 + 2 + 10);
        buffer.beginRecord();
        buffer.stream().write(new byte[100]);
        assertThat(buffer.bytes()).isEqualTo(2 + 2 + 10);
        buffer.discardRecord();
        assertThat(buffer.bytes()).isEqualTo(2 + 2 + 10);
    }

    @Test
    void saysHowLargeARecordIsThatDoesNotFit() throws IOException {
        final SortBuffer buffer = new Spills(CAPACITY, TEXT).buffer;
        buffer.beginRecord();
        buffer.stream().write(KeyBytes.text("b"));
        buffer.endKey();
        assertThatThrownBy(() -> buffer.stream().write(new byte[CAPACITY]))
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining("recordBytes=" + (2 + 2 + CAPACITY) + " and more");
    }

    @Test
    void countsTheHeapThatItsArraysTake() throws IOException {
        final SortBuffer buffer = new Spills(CAPACITY, TEXT).buffer;
        final long empty = buffer.heapBytes();
        assertThat(empty).isBetween(16L * KIB, 96L * KIB);
        for (int i = 0; i < 100; i++) {
            add(buffer, KeyBytes.text("k"), new byte[500]);
        }
        assertThat(buffer.heapBytes()).isBetween(empty + 30L * KIB, empty + 60L * KIB);
    }

    @Test
    void refusesARecordThatDoesNotFitTheWidenedBufferEither() throws IOException {
        final Spills spills = new Spills(4 * CAPACITY, TEXT);
        spills.buffer.narrow(CAPACITY);
        add(spills.buffer, KeyBytes.text("a"), new byte[10]);
        spills.buffer.beginRecord();
        spills.buffer.stream().write(KeyBytes.text("b"));
        spills.buffer.endKey();
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                spills.buffer.stream().write(new byte[CAPACITY / 8]);
                            }
                        })
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining(Integer.toString(4 * CAPACITY));
        spills.buffer.discardRecord();
        add(spills.buffer, KeyBytes.text("c"), new byte[3 * CAPACITY]);
        spills.spill();
        assertThat(spills.lengths).containsExactly(10, 3 * CAPACITY);
    }

    /** Some keys are as long as their prefix, and some go on behind it. */
    @Test
    void sortsKeysThatBeginAlike() throws IOException {
        final SortBuffer buffer = new Spills(16 * CAPACITY, TEXT).buffer;
        final List<String> keys = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            final String key = "prefix-" + Integer.toBinaryString(i * 7919 % 3000);
            keys.add(key);
            add(buffer, KeyBytes.text(key), new byte[1]);
        }
        final SortedRecords sorted = buffer.sort();
        final List<String> read = new ArrayList<>();
        for (int i = 0; i < sorted.records(); i++) {
            read.add(
                    new String(
                            sorted.data(),
                            sorted.keyOffset(i) + 1,
                            sorted.keyLength(i) - 1,
                            StandardCharsets.US_ASCII));
        }
        keys.sort(null);
        assertThat(read).isEqualTo(keys);
    }
}
