// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.VInts;
import java.util.BitSet;
import java.util.Random;
import java.util.function.IntFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordSorterTest {
    private static final int NO_SCRATCH = 0;
    private static final int MUCH_SCRATCH = 1 << 20;

    /** How the contents of keys are spread. */
    enum Spread {
        RANDOM,
        FEW_DISTINCT,
        ALL_EQUAL,
        SORTED,
        REVERSED,
        SHARED_8,
        SHARED_7_BITS,
        SHARED_300,
        SHORT_WORDS,
        ZERO_PADDED,
        ZEROS_AND_ONES,
        GROWING,
        HALF_EQUAL,
        EXPONENTIAL;

        byte[] content(final int i, final int count, final Random random) {
            return switch (this) {
                case RANDOM -> bytes(random, 10);
                case FEW_DISTINCT -> repeated((byte) random.nextInt(5), 1 + random.nextInt(20));
                case ALL_EQUAL -> repeated((byte) 'x', 21);
                case SORTED -> bigEndian(i, 10);
                case REVERSED -> bigEndian(count - i, 10);
                case SHARED_8 -> concat(repeated((byte) 'p', 8), bytes(random, 4));
                case SHARED_7_BITS -> bigEndian(random.nextInt(), 8);
                case SHARED_300 -> concat(repeated((byte) 'u', 300), bytes(random, 3));
                case SHORT_WORDS -> bytes(random, random.nextInt(4));
                case ZERO_PADDED -> concat(repeated((byte) 'z', 7), new byte[random.nextInt(40)]);
                case ZEROS_AND_ONES -> zerosAndOnes(random, random.nextInt(10));
                case GROWING -> repeated((byte) 'g', i % 200);
                case HALF_EQUAL ->
                        random.nextBoolean() ? repeated((byte) 'h', 12) : bytes(random, 12);
                case EXPONENTIAL -> bigEndian(1L << random.nextInt(64), 8);
            };
        }
    }

    private static byte[] bytes(final Random random, final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Many differ only in how many zeros they end with, which a padded prefix does not show. */
    private static byte[] zerosAndOnes(final Random random, final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.nextInt(2);
        }
        return bytes;
    }

    private static byte[] repeated(final byte value, final int length) {
        final byte[] bytes = new byte[length];
        java.util.Arrays.fill(bytes, value);
        return bytes;
    }

    private static byte[] bigEndian(final long value, final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < Math.min(8, length); i++) {
            bytes[length - 1 - i] = (byte) (value >>> (8 * i));
        }
        return bytes;
    }

    private static byte[] concat(final byte[] a, final byte[] b) {
        final byte[] both = java.util.Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    @Property(tries = 300)
    void sortsAnything(
            @ForAll final Spread spread,
            @ForAll @IntRange(min = 0, max = 3000) final int count,
            @ForAll @IntRange(min = 1, max = 200) final int partitions,
            @ForAll final boolean prefixes,
            @ForAll final long seed) {
        final Random random = new Random(seed);
        check(
                i -> text(spread.content(i, count, random)),
                count,
                partitions,
                new Text.Comparator(),
                prefixes,
                NO_SCRATCH,
                seed);
    }

    @ParameterizedTest
    @EnumSource
    void sortsManyThroughScratch(final Spread spread) {
        final Random random = new Random(1);
        final int count = 30_000;
        for (final int partitions : new int[] {1, 3}) {
            check(
                    i -> text(spread.content(i, count, random)),
                    count,
                    partitions,
                    new Text.Comparator(),
                    true,
                    MUCH_SCRATCH,
                    2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void sortsManyWithLittleScratch(final Spread spread) {
        final Random random = new Random(3);
        final int count = 30_000;
        for (final int partitions : new int[] {1, 4, 100}) {
            check(
                    i -> text(spread.content(i, count, random)),
                    count,
                    partitions,
                    new Text.Comparator(),
                    true,
                    NO_SCRATCH,
                    4);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_SCRATCH, MUCH_SCRATCH})
    void sortsFixedKeys(final int scratch) {
        final Random random = new Random(5);
        for (final long range : new long[] {1, 2, 1000, Long.MAX_VALUE}) {
            for (final int partitions : new int[] {1, 2, 100}) {
                check(
                        i -> bigEndian(random.nextLong() % range, 8),
                        30_000,
                        partitions,
                        new LongWritable.DecreasingComparator(),
                        true,
                        scratch,
                        6);
            }
        }
    }

    /** Contents end at every depth among many that go on, so that groups are split there. */
    @ParameterizedTest
    @ValueSource(ints = {NO_SCRATCH, MUCH_SCRATCH})
    void keepsTheOrderOfEqualKeysWhereSomeEnd(final int scratch) {
        final Random random = new Random(9);
        for (final int count : new int[] {17, 300, 5_000, 40_000}) {
            for (final int lengths : new int[] {2, 5, 40}) {
                check(
                        i -> text(repeated((byte) 'k', 8 * random.nextInt(lengths))),
                        count,
                        2,
                        new Text.Comparator(),
                        true,
                        scratch,
                        10);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_SCRATCH, MUCH_SCRATCH})
    void sortsByComparatorAlone(final int scratch) {
        final Random random = new Random(7);
        for (final Spread spread : Spread.values()) {
            for (final int count : new int[] {6_000, 15_000}) {
                check(
                        i -> text(spread.content(i, count, random)),
                        count,
                        3,
                        new Text.Comparator(),
                        false,
                        scratch,
                        8);
            }
        }
    }

    @Property(tries = 50)
    void losesNothingToAComparatorThatBreaksItsContract(
            @ForAll @IntRange(min = 0, max = 3000) final int count, @ForAll final long seed) {
        final Random random = new Random(seed);
        final Records records =
                new Records(i -> text(bytes(random, 10)), count, 3, new Random(seed));
        new RecordSorter(KeyOrders.comparing(new Whimsical(random)), MUCH_SCRATCH)
                .sort(records.data, records.entries, records.starts);
        records.requireEachOnce();
    }

    private static byte[] text(final byte[] content) {
        final byte[] key = new byte[VInts.size(content.length) + content.length];
        System.arraycopy(content, 0, key, VInts.write(key, 0, content.length), content.length);
        return key;
    }

    private static void check(
            final IntFunction<byte[]> keys,
            final int count,
            final int partitions,
            final RawComparator<?> comparator,
            final boolean prefixes,
            final int scratch,
            final long seed) {
        final KeyOrder order =
                prefixes ? KeyOrders.of(comparator) : KeyOrders.comparing(comparator);
        final Records records = new Records(keys, count, partitions, new Random(seed));
        records.prefix(order);
        final RecordSorter sorter = new RecordSorter(order, scratch);
        sorter.sort(records.data, records.entries, records.starts);
        records.requireEachOnce();
        records.requireOrder(comparator);
    }

    /** Encoded records whose value is their number. */
    private static final class Records {
        final byte[] data;
        final long[] entries;
        final int[] starts;
        private final int[] partitionOf;
        private final int count;

        Records(
                final IntFunction<byte[]> keys,
                final int count,
                final int partitions,
                final Random random) {
            this.count = count;
            entries = new long[2 * count];
            starts = new int[partitions + 1];
            partitionOf = new int[count];
            final byte[][] encoded = new byte[count][];
            int offset = 0;
            for (int i = 0; i < count; i++) {
                partitionOf[i] = random.nextInt(partitions);
                starts[partitionOf[i] + 1]++;
                encoded[i] = encode(keys.apply(i), i);
                entries[2 * i + 1] = RecordRefs.of(partitionOf[i], offset);
                offset += encoded[i].length;
            }
            for (int p = 0; p < partitions; p++) {
                starts[p + 1] += starts[p];
            }
            data = new byte[offset];
            for (int i = 0; i < count; i++) {
                System.arraycopy(
                        encoded[i],
                        0,
                        data,
                        RecordRefs.offset(entries[2 * i + 1]),
                        encoded[i].length);
            }
        }

        private static byte[] encode(final byte[] key, final int number) {
            final byte[] value = bigEndian(number, 4);
            final byte[] header = new byte[VInts.size(key.length) + 1];
            VInts.write(header, VInts.write(header, 0, key.length), value.length);
            return concat(concat(header, key), value);
        }

        void prefix(final KeyOrder order) {
            for (int i = 0; i < count; i++) {
                final int offset = RecordRefs.offset(entries[2 * i + 1]);
                final int keyStart = RecordRefs.keyStart(data, offset);
                final int keyLength = RecordRefs.keyLength(data, offset);
                entries[2 * i] = order.prefix(data, keyStart, keyLength);
                if (order.strength() == KeyOrder.Strength.PARTIAL
                        && RecordRefs.decides(
                                entries[2 * i], order.contentLength(data, keyStart, keyLength))) {
                    entries[2 * i + 1] = RecordRefs.decided(entries[2 * i + 1]);
                }
            }
        }

        void requireEachOnce() {
            final SortedRecords sorted = new SortedRecords(data, entries, starts);
            final BitSet seen = new BitSet();
            for (int p = 0; p < starts.length - 1; p++) {
                for (int i = sorted.partitionStart(p); i < sorted.partitionEnd(p); i++) {
                    final int number = number(sorted, i);
                    if (seen.get(number) || partitionOf[number] != p) {
                        throw new AssertionError("record " + number + " twice or in " + p);
                    }
                    seen.set(number);
                }
            }
            assertThat(seen.cardinality()).isEqualTo(count);
        }

        private int number(final SortedRecords sorted, final int i) {
            if (sorted.valueLength(i) != 4) {
                throw new AssertionError("valueLength=" + sorted.valueLength(i));
            }
            return BigEndian.readInt(data, sorted.valueOffset(i));
        }

        void requireOrder(final RawComparator<?> comparator) {
            final SortedRecords sorted = new SortedRecords(data, entries, starts);
            for (int p = 0; p < starts.length - 1; p++) {
                for (int i = sorted.partitionStart(p) + 1; i < sorted.partitionEnd(p); i++) {
                    final int compared =
                            comparator.compare(
                                    data,
                                    sorted.keyOffset(i - 1),
                                    sorted.keyLength(i - 1),
                                    data,
                                    sorted.keyOffset(i),
                                    sorted.keyLength(i));
                    // Records are numbered as they were emitted.
                    final boolean early = number(sorted, i - 1) > number(sorted, i);
                    if (compared > 0 || (compared == 0 && early)) {
                        throw new AssertionError("partition " + p + ", record " + i);
                    }
                }
            }
        }
    }

    /** Answers at random. */
    private static final class Whimsical implements RawComparator<Object> {
        private final Random random;

        Whimsical(final Random random) {
            this.random = random;
        }

        @Override
        public int compare(
                final byte[] a,
                final int aStart,
                final int aLength,
                final byte[] b,
                final int bStart,
                final int bLength) {
            return random.nextInt(3) - 1;
        }

        @Override
        public int compare(final Object a, final Object b) {
            throw new AssertionError(a + " and " + b + " compared as objects");
        }
    }
}
