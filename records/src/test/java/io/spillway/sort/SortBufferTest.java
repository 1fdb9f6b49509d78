// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.HeapRecordCursor;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;

class SortBufferTest {
    private static final int MIB = 1 << 20;
    private static final KeyOrder TEXT = KeyOrders.of(new Text.Comparator());

    /** Collects what overflows, as runs of one partition after the other. */
    private static final class Spills implements SortBuffer.Overflow {
        private final List<byte[]> records = new ArrayList<>();
        private SortBuffer buffer;
        private int spills;

        SortBuffer of(final int capacity, final int partitions, final KeyOrder order) {
            buffer = new SortBuffer(capacity, partitions, order, this);
            return buffer;
        }

        @Override
        public void spill() {
            spills++;
            final SortedRecords sorted = buffer.sort();
            assertThat(buffer.sort()).isSameAs(sorted);
            for (int i = 0; i < sorted.records(); i++) {
                final int offset = sorted.recordOffset(i);
                records.add(
                        Arrays.copyOfRange(sorted.data(), offset, offset + sorted.recordLength(i)));
            }
            buffer.clear();
        }
    }

    private static byte[] content(final Random random, final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static int add(
            final SortBuffer buffer, final int partition, final byte[] key, final byte[] value)
            throws IOException {
        buffer.beginRecord();
        buffer.stream().write(key);
        buffer.endKey();
        buffer.stream().write(value);
        return buffer.endRecord(partition);
    }

    private static byte[] encoded(final byte[] key, final byte[] value) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SegmentWriter writer = new SegmentWriter(out, null)) {
            writer.append(key, 0, key.length, value, 0, value.length);
            writer.endSegment();
        }
        return Arrays.copyOf(out.toByteArray(), out.size() - 6);
    }

    @Property(tries = 60)
    void keepsEveryRecordWhole(
            @ForAll @IntRange(min = 1, max = 5) final int partitions,
            @ForAll @IntRange(min = 0, max = 4000) final int keyLength,
            @ForAll @IntRange(min = 0, max = 40_000) final int valueLength,
            @ForAll final long seed)
            throws IOException {
        final Random random = new Random(seed);
        final Spills spills = new Spills();
        final SortBuffer buffer = spills.of(64 << 10, partitions, new RawOrder());
        final List<byte[]> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            final byte[] key = content(random, random.nextInt(keyLength + 1));
            final byte[] value = content(random, random.nextInt(valueLength + 1));
            assertThat(add(buffer, random.nextInt(partitions), key, value))
                    .isEqualTo(key.length + value.length);
            expected.add(encoded(key, value));
        }
        spills.spill();
        assertThat(spills.records).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void sortsByPartitionAndKeyAndMergesSpills() throws IOException {
        final List<RecordCursor> runs = new ArrayList<>();
        final SortBuffer[] holder = new SortBuffer[1];
        final SortBuffer buffer =
                new SortBuffer(MIB, 1, TEXT, () -> runs.add(segmentOf(holder[0])));
        holder[0] = buffer;
        final int count = 100_000;
        final List<String> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final String key = Integer.toString((int) (i * 7919L % count));
            add(buffer, 0, KeyBytes.text(key), KeyBytes.text("value"));
            expected.add(key);
        }
        runs.add(segmentOf(buffer));
        assertThat(runs).hasSizeGreaterThan(1);

        expected.sort(null);
        final List<String> merged = new ArrayList<>();
        try (MergeQueue queue = new MergeQueue(runs, TEXT)) {
            while (queue.next()) {
                merged.add(KeyBytes.textOf(queue.current()));
            }
        }
        assertThat(merged).isEqualTo(expected);
    }

    private static RecordCursor segmentOf(final SortBuffer buffer) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final IndexEntry entry;
        try (SegmentWriter writer = new SegmentWriter(out, null)) {
            final SortedRecords sorted = buffer.sort();
            for (int i = 0; i < sorted.records(); i++) {
                writer.append(sorted.data(), sorted.recordOffset(i), sorted.recordLength(i));
            }
            entry = writer.endSegment();
        }
        buffer.clear();
        assertThat(entry.partLength()).isEqualTo(out.size());
        return new HeapRecordCursor(out.toByteArray(), 0, (int) entry.rawLength());
    }

    @Test
    void overflowsInTheMiddleOfKeyAndValue() throws IOException {
        final Random random = new Random(1);
        for (final int inKey : new int[] {0, 1}) {
            final Spills spills = new Spills();
            final SortBuffer buffer = spills.of(64 << 10, 2, TEXT);
            final byte[] first = content(random, 40_000);
            add(buffer, 1, KeyBytes.text("first"), first);
            buffer.beginRecord();
            final byte[] key = KeyBytes.text("x".repeat(inKey == 1 ? 30_000 : 10));
            for (final byte b : key) {
                buffer.stream().write(b);
            }
            buffer.endKey();
            final byte[] value = content(random, 29_000);
            buffer.stream().write(value, 0, 1000);
            buffer.stream().write(value, 1000, 28_000);
            buffer.endRecord(0);
            assertThat(spills.spills).isEqualTo(1);
            assertThat(buffer.records()).isEqualTo(1);
            spills.spill();
            assertThat(spills.records)
                    .containsExactly(encoded(KeyBytes.text("first"), first), encoded(key, value));
        }
    }

    @Test
    void refusesARecordThatNeverFits() throws IOException {
        final Spills spills = new Spills();
        final SortBuffer buffer = spills.of(64 << 10, 1, TEXT);
        add(buffer, 0, KeyBytes.text("a"), new byte[10]);
        buffer.beginRecord();
        buffer.stream().write(KeyBytes.text("b"));
        buffer.endKey();
        assertThatThrownBy(() -> buffer.stream().write(new byte[64 << 10]))
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining("65536")
                .hasMessageContaining("mapreduce.task.io.sort.mb");
        assertThat(spills.spills).isEqualTo(1);
        buffer.discardRecord();
        assertThat(buffer.records()).isZero();
        add(buffer, 0, KeyBytes.text("c"), new byte[1]);
        spills.spill();
        assertThat(spills.records).hasSize(2);
    }

    @Test
    void takesARecordOfAlmostTheWholeBuffer() throws IOException {
        final Spills spills = new Spills();
        final SortBuffer buffer = spills.of(MIB, 1, TEXT);
        for (int i = 0; i < 100_000; i++) {
            add(buffer, 0, KeyBytes.text("k"), new byte[0]);
        }
        final byte[] value = new byte[MIB - 100];
        add(buffer, 0, KeyBytes.text("z"), value);
        assertThat(buffer.records()).isEqualTo(1);
        assertThat(buffer.sort().valueLength(0)).isEqualTo(value.length);
    }

    @Test
    void discardsTheRecordBeingWritten() throws IOException {
        final Spills spills = new Spills();
        final SortBuffer buffer = spills.of(64 << 10, 1, TEXT);
        add(buffer, 0, KeyBytes.text("a"), new byte[3]);
        buffer.beginRecord();
        buffer.stream().write(new byte[1000]);
        buffer.discardRecord();
        buffer.discardRecord();
        add(buffer, 0, KeyBytes.text("b"), new byte[4]);
        spills.spill();
        assertThat(spills.records)
                .containsExactly(
                        encoded(KeyBytes.text("a"), new byte[3]),
                        encoded(KeyBytes.text("b"), new byte[4]));
    }

    @Test
    void takesRecordsWithoutBytes() throws IOException {
        final Spills spills = new Spills();
        final SortBuffer buffer =
                spills.of(64 << 10, 3, KeyOrders.of(new NullWritable.Comparator()));
        for (int i = 0; i < 20_000; i++) {
            assertThat(add(buffer, i % 3, new byte[0], new byte[0])).isZero();
        }
        assertThat(spills.spills).isGreaterThan(3);
        final SortedRecords sorted = buffer.sort();
        assertThat(sorted.partitionEnd(2)).isEqualTo(sorted.records());
        assertThat(sorted.recordLength(0)).isEqualTo(2);
        spills.spill();
        assertThat(spills.records).hasSize(20_000).containsOnly(new byte[2]);
    }

    @Test
    void countsBytesAndEntriesAgainstTheCapacity() throws IOException {
        for (final int valueLength : new int[] {0, 5, 90, 1000, 100_000}) {
            final Spills spills = new Spills();
            final SortBuffer buffer = spills.of(4 * MIB, 2, TEXT);
            final byte[] key = KeyBytes.text("key");
            final byte[] value = new byte[valueLength];
            final int encoded = encoded(key, value).length;
            long added = 0;
            while (spills.spills < 3) {
                add(buffer, (int) (added % 2), key, value);
                added++;
                assertThat(buffer.heapBytes()).isLessThan((long) (1.3 * 4 * MIB));
            }
            final long perSpill = (added - 1) / 3;
            assertThat(perSpill * (encoded + 16)).isBetween(4L * MIB - 110_000, 4L * MIB);
        }
    }

    @Test
    void staysWithinItsHeapWhenRecordsChangeTheirLength() throws IOException {
        final Spills spills = new Spills();
        final SortBuffer buffer = spills.of(2 * MIB, 1, TEXT);
        final Random random = new Random(2);
        long added = 0;
        for (int phase = 0; phase < 40; phase++) {
            final byte[] value = new byte[phase % 2 == 0 ? 0 : 300];
            final int count = random.nextInt(60_000);
            for (int i = 0; i < count; i++) {
                add(buffer, 0, KeyBytes.text("k"), value);
                added++;
            }
            assertThat(buffer.heapBytes()).isLessThan((long) (1.3 * 2 * MIB));
        }
        spills.spill();
        assertThat(spills.records).hasSize((int) added);
        assertThat(spills.spills).isLessThan(400);
    }

    @Test
    void startsSmall() {
        final SortBuffer buffer = new Spills().of(1 << 30, 1, TEXT);
        assertThat(buffer.heapBytes()).isLessThan(20L * MIB);
    }

    @Test
    void aReleasedBufferHoldsNoMemoryThoughItsStreamIsHeld() throws IOException {
        final Spills spills = new Spills();
        final SortBuffer buffer = spills.of(4 * MIB, 1, TEXT);
        while (spills.spills < 2) {
            add(buffer, 0, KeyBytes.text("key"), new byte[90]);
        }
        assertThatThrownBy(buffer::release).hasMessageContaining("not empty");
        spills.spill();
        assertThat(buffer.heapBytes()).isGreaterThan(2L * MIB);
        buffer.release();
        assertThat(buffer.heapBytes()).isLessThan(100_000);
        assertThat(buffer.records()).isZero();
        assertThat(buffer.bytes()).isZero();
    }

    @Test
    void passesOnWhatTheOverflowThrows() throws IOException {
        final IOException failure = new IOException("disk");
        final SortBuffer buffer =
                new SortBuffer(
                        64 << 10,
                        1,
                        TEXT,
                        () -> {
                            throw failure;
                        });
        add(buffer, 0, KeyBytes.text("a"), new byte[60_000]);
        buffer.beginRecord();
        assertThatThrownBy(() -> buffer.stream().write(new byte[10_000])).isSameAs(failure);
        buffer.discardRecord();
        assertThat(buffer.records()).isEqualTo(1);
    }

    @Test
    void refusesAnOverflowThatClearsNothing() throws IOException {
        final SortBuffer buffer = new SortBuffer(64 << 10, 1, TEXT, () -> {});
        add(buffer, 0, KeyBytes.text("a"), new byte[60_000]);
        buffer.beginRecord();
        assertThatThrownBy(() -> buffer.stream().write(new byte[10_000]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("records=1");
    }

    @Test
    void refusesCallsOutOfOrder() throws IOException {
        final SortBuffer buffer = new Spills().of(64 << 10, 2, TEXT);
        assertThatThrownBy(() -> buffer.stream().write(1))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(buffer::endKey).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.endRecord(0)).isInstanceOf(IllegalStateException.class);
        buffer.beginRecord();
        assertThatThrownBy(buffer::beginRecord).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.endRecord(0)).isInstanceOf(IllegalStateException.class);
        buffer.stream().write(KeyBytes.text("k"));
        buffer.endKey();
        assertThatThrownBy(buffer::endKey).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.endRecord(2)).isInstanceOf(IndexOutOfBoundsException.class);
        buffer.endRecord(1);
        buffer.sort();
        assertThatThrownBy(buffer::beginRecord).isInstanceOf(IllegalStateException.class);
        buffer.clear();
        buffer.beginRecord();
    }

    @Test
    void refusesSizesItCannotUse() {
        assertThatThrownBy(() -> new Spills().of(1000, 1, TEXT))
                .hasMessageContaining("capacityBytes=1000");
        assertThatThrownBy(() -> new Spills().of(MIB, 0, TEXT))
                .hasMessageContaining("partitions=0");
    }

    @Test
    void plansBuffersOfEverySizeWithoutEarlyOverflow() {
        for (final int capacity : new int[] {MIB, 100 * MIB, 2047 * MIB}) {
            for (final long meanLength : new long[] {2, 6, 14, 102, 1000, 10_000}) {
                final BufferPlan roomy = new BufferPlan(capacity, Long.MAX_VALUE);
                requireFull(roomy, capacity, meanLength, 1.105, 1.255);
                final BufferPlan tight = new BufferPlan(capacity, capacity);
                requireFull(tight, capacity, meanLength, 1.035, 1.1);
            }
        }
    }

    /** Fills a planned buffer with records of one length. */
    private static void requireFull(
            final BufferPlan plan,
            final int capacity,
            final long meanLength,
            final double settled,
            final double growing) {
        int data = plan.firstData();
        int entries = plan.firstEntries();
        int records = 0;
        boolean squeezed = false;
        while (!squeezed && (records + 1) * (meanLength + 16) <= capacity) {
            records += Math.max(1, capacity / (20 * MIB));
            final long bytes = records * meanLength;
            if (bytes > data) {
                final int old = data;
                data = plan.growData(bytes, data, entries, bytes, records);
                squeezed = data == 0;
                assertThat(old + data + 16L * entries).isLessThan((long) (growing * capacity));
            }
            if (!squeezed && records >= entries) {
                final int old = entries;
                entries = plan.growEntries(entries, data, bytes, records);
                squeezed = entries == 0;
                assertThat(data + 16L * (old + entries)).isLessThan((long) (growing * capacity));
            }
        }
        assertThat(data + 16L * entries).isLessThan((long) (settled * capacity));
        assertThat(records * (meanLength + 16))
                .as("capacity %d, mean length %d", capacity, meanLength)
                .isGreaterThan((long) (0.97 * capacity));
    }

    /** Whole keys as raw bytes; any length will do. */
    private static final class RawOrder extends ContentOrder {
        @Override
        int headerLength(final byte[] buffer, final int start, final int length) {
            return 0;
        }
    }

    @Test
    void sortsBytesWritables() throws IOException {
        final SortBuffer buffer =
                new Spills().of(MIB, 1, KeyOrders.of(new BytesWritable.Comparator()));
        add(buffer, 0, KeyBytes.bytes(2, 0), new byte[] {3});
        add(buffer, 0, KeyBytes.bytes(2), new byte[] {2});
        add(buffer, 0, KeyBytes.bytes(), new byte[] {0});
        add(buffer, 0, KeyBytes.bytes(1, 9, 9, 9, 9, 9, 9, 9, 9, 9), new byte[] {1});
        final SortedRecords sorted = buffer.sort();
        for (int i = 0; i < 4; i++) {
            assertThat(sorted.data()[sorted.valueOffset(i)]).isEqualTo((byte) i);
        }
    }

    @Test
    void overflowsEarlierWhileItIsNarrow() throws IOException {
        final Spills spills = new Spills();
        final SortBuffer buffer = spills.of(4 * MIB, 1, TEXT);
        buffer.narrow(MIB);
        final byte[] value = new byte[1000];
        int records = 0;
        while (spills.spills == 0) {
            add(buffer, 0, encodedKey(records++), value);
        }
        assertThat(records).isBetween(950, 1040);
        buffer.widen();
        final int before = records;
        while (spills.spills == 1) {
            add(buffer, 0, encodedKey(records++), value);
        }
        assertThat(records - before).isBetween(3 * 1040, 4 * 1040);
        buffer.sort();
        assertThat(spills.records.size() + buffer.records()).isEqualTo(records);
    }

    /** Rather than to be refused, or to be spilled alone. */
    @Test
    void isWidenedByARecordThatNeedsMore() throws IOException {
        final Spills spills = new Spills();
        final SortBuffer buffer = spills.of(4 * MIB, 1, TEXT);
        buffer.narrow(MIB);
        add(buffer, 0, encodedKey(1), new byte[100]);
        add(buffer, 0, encodedKey(2), new byte[3 * MIB]);
        assertThat(spills.spills).isEqualTo(1);
        assertThat(buffer.records()).isEqualTo(1);
        assertThat(buffer.bytes()).isGreaterThan(3 * MIB);
    }

    private static byte[] encodedKey(final int number) {
        return new byte[] {4, 0, 0, (byte) (number >>> 8), (byte) number};
    }
}
