// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import java.util.function.IntFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;

/** Grouping by hash against sorting: what leaves the buffer is the same. */
class KeyGroupsTest {
    private static final int CAPACITY = 8 << 20;

    /** All keys whose byte order is known, made of a number. */
    @SuppressWarnings("ImmutableEnumChecker") // what makes its keys has no state
    enum Keys {
        TEXT(new Text.Comparator(), n -> KeyBytes.text("word" + n)),
        SHORT_TEXT(new Text.Comparator(), n -> KeyBytes.text(n == 0 ? "" : "w" + n)),
        LONG_TEXT(new Text.Comparator(), n -> KeyBytes.text("http://host.example.org/" + n * n)),
        /** They differ behind what is hashed. */
        SHARED_TEXT(new Text.Comparator(), n -> KeyBytes.text("x".repeat(200) + n)),
        /** They differ in the number of zeros only. */
        ZEROS(new BytesWritable.Comparator(), n -> KeyBytes.bytes(new int[n % 40])),
        BYTES(new BytesWritable.Comparator(), n -> KeyBytes.bytes(n, n >> 8, 0, n, 0, 0, 0, 0, n)),
        BOOLEAN(
                new BooleanWritable.Comparator(),
                n -> KeyBytes.of(new BooleanWritable(n % 2 == 0))),
        MD5(new MD5Hash.Comparator(), n -> KeyBytes.of(MD5Hash.digest("" + n))),
        INT(new IntWritable.Comparator(), n -> KeyBytes.of(new IntWritable(-n))),
        LONG(new LongWritable.Comparator(), n -> KeyBytes.of(new LongWritable(n * 77L - 9))),
        LONG_DOWN(new LongWritable.DecreasingComparator(), n -> KeyBytes.of(new LongWritable(n))),
        SHORT(new ShortWritable.Comparator(), n -> KeyBytes.of(new ShortWritable((short) n))),
        BYTE(new ByteWritable.Comparator(), n -> KeyBytes.of(new ByteWritable((byte) n))),
        /** Not-a-numbers of other bits are equal. */
        FLOAT(
                new FloatWritable.Comparator(),
                n -> KeyBytes.of(new IntWritable(n % 3 == 0 ? 0x7FC0_0000 + n : n << 16))),
        DOUBLE(
                new DoubleWritable.Comparator(),
                n -> KeyBytes.of(new DoubleWritable(n % 5 == 0 ? -0.0 : 0.5 * (n % 7)))),
        NULL(new NullWritable.Comparator(), n -> KeyBytes.of(NullWritable.get()));

        private final KeyOrder order;
        private final IntFunction<byte[]> key;

        Keys(final RawComparator<?> comparator, final IntFunction<byte[]> key) {
            this.order = KeyOrders.of(comparator);
            this.key = key;
        }
    }

    /** How many different keys there are, and how they are spread. */
    enum Spread {
        ONE,
        FEW,
        SKEWED,
        MANY,
        /** Keys repeat at first, then never again. */
        ENDING,
        ALL_DIFFERENT;

        int next(final Random random, final int record) {
            return switch (this) {
                case ONE -> 7;
                case FEW -> random.nextInt(50);
                case SKEWED -> (int) Math.pow(30_000, random.nextDouble());
                case MANY -> random.nextInt(1_000);
                case ENDING -> record < 10_000 ? record % 10 : record;
                case ALL_DIFFERENT -> record;
            };
        }
    }

    record Job(Keys keys, Spread spread, int partitions, int records, long seed) {
        /** The same key may go to several partitions. */
        int partition(final Random random, final int number) {
            return seed % 2 == 0 ? number % partitions : random.nextInt(partitions);
        }
    }

    @Provide
    Arbitrary<Job> jobs() {
        return Combinators.combine(
                        Arbitraries.of(Keys.class),
                        Arbitraries.of(Spread.class),
                        Arbitraries.of(1, 2, 7, 300),
                        Arbitraries.of(0, 1, 100, 5_000, 30_000),
                        Arbitraries.longs())
                .as(Job::new);
    }

    private static void emit(final Job job, final SortBuffer buffer) throws IOException {
        final Random random = new Random(job.seed);
        for (int i = 0; i < job.records; i++) {
            final int number = job.spread.next(random, i);
            final int partition = job.partition(random, number);
            add(buffer, partition, job.keys.key.apply(number), new byte[random.nextInt(30)]);
        }
    }

    private static void add(
            final SortBuffer buffer, final int partition, final byte[] key, final byte[] value)
            throws IOException {
        buffer.beginRecord();
        buffer.stream().write(key);
        buffer.endKey();
        buffer.stream().write(value);
        buffer.endRecord(partition);
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void recordsLeaveInTheOrderOfASort(@ForAll("jobs") final Job job) throws IOException {
        final SortBuffer[] sorting = new SortBuffer[1];
        final SortBuffer[] grouping = new SortBuffer[1];
        sorting[0] = buffer(job, () -> sorting[0].clear());
        grouping[0] = buffer(job, () -> grouping[0].clear());
        grouping[0].groupKeys();
        emit(job, sorting[0]);
        emit(job, grouping[0]);
        if (sorting[0].records() < job.records || grouping[0].records() < job.records) {
            return;
        }

        final SortedRecords expected = sorting[0].sort();
        final SortedRecords actual = grouping[0].sort();
        for (int partition = 0; partition < job.partitions; partition++) {
            assertThat(actual.partitionStart(partition))
                    .isEqualTo(expected.partitionStart(partition));
        }
        for (int i = 0; i < job.records; i++) {
            assertThat(actual.recordOffset(i)).isEqualTo(expected.recordOffset(i));
        }
    }

    private static SortBuffer buffer(final Job job, final SortBuffer.Overflow overflow) {
        return new SortBuffer(CAPACITY, job.partitions, job.keys.order, overflow);
    }

    /** Sorts and checks what overflows. */
    private static final class Checked implements SortBuffer.Overflow {
        private final Job job;
        private final SortBuffer buffer;
        private int records;
        private int overflows;

        Checked(final Job job, final int capacity) {
            this.job = job;
            buffer = new SortBuffer(capacity, job.partitions, job.keys.order, this);
            buffer.groupKeys();
        }

        @Override
        public void spill() {
            final SortedRecords sorted = buffer.sort();
            for (int partition = 0; partition < job.partitions; partition++) {
                final int end = sorted.partitionEnd(partition);
                for (int i = sorted.partitionStart(partition) + 1; i < end; i++) {
                    assertThat(inOrder(sorted, i - 1, i)).isTrue();
                }
            }
            records += sorted.records();
            overflows++;
            buffer.clear();
        }

        private boolean inOrder(final SortedRecords sorted, final int a, final int b) {
            final int compared =
                    job.keys.order.compare(
                            sorted.data(),
                            sorted.keyOffset(a),
                            sorted.keyLength(a),
                            sorted.data(),
                            sorted.keyOffset(b),
                            sorted.keyLength(b));
            return compared < 0
                    || (compared == 0 && sorted.recordOffset(a) < sorted.recordOffset(b));
        }
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void aBufferThatOverflowsIsInOrderEachTime(@ForAll("jobs") final Job job) throws IOException {
        final Checked checked = new Checked(job, SortBuffer.MIN_CAPACITY);
        emit(job, checked.buffer);
        checked.spill();
        assertThat(checked.records).isEqualTo(job.records);
    }

    @Test
    void keysThatRepeatAreGrouped() throws IOException {
        for (final Spread spread : new Spread[] {Spread.ONE, Spread.FEW, Spread.MANY}) {
            final Checked checked = emitted(spread);
            assertThat(checked.buffer.groups()).isBetween(1, 1_000);
            checked.spill();
        }
    }

    @Test
    void keysThatDoNotRepeatAreSorted() throws IOException {
        for (final Spread spread : new Spread[] {Spread.ENDING, Spread.ALL_DIFFERENT}) {
            final Checked checked = emitted(spread);
            assertThat(checked.buffer.groups()).isZero();
            checked.spill();
            add(checked.buffer, 0, KeyBytes.text("again"), new byte[0]);
            assertThat(checked.buffer.groups()).isOne();
        }
    }

    private static Checked emitted(final Spread spread) throws IOException {
        final Job job = new Job(Keys.TEXT, spread, 3, 100_000, 4);
        final Checked checked = new Checked(job, CAPACITY);
        emit(job, checked.buffer);
        assertThat(checked.overflows).isZero();
        return checked;
    }

    /** The buffer is emptied before it is full: a combiner leaves little of so large groups. */
    @Test
    void largeGroupsMakeRoomForOthers() throws IOException {
        final Checked checked = new Checked(new Job(Keys.INT, Spread.ONE, 1, 0, 2), CAPACITY);
        for (int i = 0; i < 65 * KeyGroups.MOST_GROUPS + 100; i++) {
            final int number = i < 64 * KeyGroups.MOST_GROUPS ? i % 10 : i;
            add(checked.buffer, 0, checked.job.keys.key.apply(number), new byte[0]);
        }
        assertThat(checked.overflows).isOne();
        assertThat(checked.buffer.groups()).isPositive();
    }

    /** So many would make a table of hashes a list. */
    @Test
    void keysThatCollideAreSorted() throws IOException {
        final Job job = new Job(Keys.SHARED_TEXT, Spread.MANY, 1, 20_000, 5);
        final Checked checked = new Checked(job, CAPACITY);
        emit(job, checked.buffer);
        assertThat(checked.buffer.groups()).isZero();
        checked.spill();
    }

    @Test
    void aKeyMayFillTheWholeBuffer() throws IOException {
        final Checked checked = new Checked(new Job(Keys.BYTES, Spread.FEW, 1, 500, 6), 1 << 20);
        emit(checked.job, checked.buffer);
        final byte[] key = KeyBytes.bytes(new int[(1 << 20) - 100]);
        add(checked.buffer, 0, key, new byte[0]);
        assertThat(checked.records).isEqualTo(500);
        assertThat(checked.buffer.records()).isOne();
        checked.spill();
        add(checked.buffer, 0, KeyBytes.bytes(1), new byte[0]);
        assertThat(checked.buffer.groups()).isOne();
    }

    @Test
    void anUnknownOrderIsNeverGrouped() throws IOException {
        final SortBuffer buffer =
                new SortBuffer(
                        SortBuffer.MIN_CAPACITY,
                        1,
                        KeyOrders.comparing(new Text.Comparator()),
                        () -> {});
        buffer.groupKeys();
        add(buffer, 0, KeyBytes.text("a"), new byte[0]);
        assertThat(buffer.groups()).isZero();
        assertThat(buffer.sort().records()).isOne();
    }
}
