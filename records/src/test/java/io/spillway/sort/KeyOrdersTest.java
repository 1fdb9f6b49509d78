// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
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
import org.apache.hadoop.io.VIntWritable;
import org.apache.hadoop.io.VLongWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.junit.jupiter.api.Test;

class KeyOrdersTest {
    /** A key type with prefixes, and how to draw a key that is often near others. */
    private record KeyType(
            Class<?> keyClass, RawComparator<?> comparator, Function<Random, Writable> keys) {
        byte[] key(final Random random) {
            return KeyBytes.of(keys.apply(random));
        }

        @Override
        public String toString() {
            return comparator.getClass().getName();
        }
    }

    private static final List<KeyType> TYPES =
            List.of(
                    new KeyType(Text.class, new Text.Comparator(), r -> new Text(content(r, 20))),
                    new KeyType(Text.class, new Text.Comparator(), r -> new Text(content(r, 300))),
                    new KeyType(
                            BytesWritable.class,
                            new BytesWritable.Comparator(),
                            r -> new BytesWritable(content(r, 20))),
                    new KeyType(
                            IntWritable.class,
                            new IntWritable.Comparator(),
                            r -> new IntWritable(near(r))),
                    new KeyType(
                            LongWritable.class,
                            new LongWritable.Comparator(),
                            r -> new LongWritable(nearLong(r))),
                    new KeyType(
                            LongWritable.class,
                            new LongWritable.DecreasingComparator(),
                            r -> new LongWritable(nearLong(r))),
                    new KeyType(
                            ShortWritable.class,
                            new ShortWritable.Comparator(),
                            r -> new ShortWritable((short) near(r))),
                    new KeyType(
                            ByteWritable.class,
                            new ByteWritable.Comparator(),
                            r -> new ByteWritable((byte) near(r))),
                    new KeyType(
                            BooleanWritable.class,
                            new BooleanWritable.Comparator(),
                            r -> new BooleanWritable(r.nextBoolean())),
                    new KeyType(
                            FloatWritable.class,
                            new FloatWritable.Comparator(),
                            r -> new FloatWritable(Float.intBitsToFloat(floatBits(r)))),
                    new KeyType(
                            DoubleWritable.class,
                            new DoubleWritable.Comparator(),
                            r -> new DoubleWritable(Double.longBitsToDouble(doubleBits(r)))),
                    new KeyType(
                            NullWritable.class,
                            new NullWritable.Comparator(),
                            r -> NullWritable.get()),
                    new KeyType(
                            MD5Hash.class, new MD5Hash.Comparator(), r -> new MD5Hash(digest(r))));

    @Provide
    Arbitrary<KeyType> types() {
        return Arbitraries.of(TYPES);
    }

    /** Few distinct bytes, zeros among them, so that prefixes and paddings collide. */
    private static byte[] content(final Random random, final int most) {
        final byte[] bytes = new byte[random.nextInt(most + 1)];
        final byte[] alphabet = {0, 0, 1, 'a', -1};
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] =
                    i < bytes.length / 2 ? (byte) 'a' : alphabet[random.nextInt(alphabet.length)];
        }
        return bytes;
    }

    private static byte[] digest(final Random random) {
        final byte[] digest = new byte[MD5Hash.MD5_LEN];
        digest[random.nextInt(digest.length)] = (byte) random.nextInt();
        return digest;
    }

    private static int near(final Random random) {
        return random.nextBoolean() ? random.nextInt(5) - 2 : random.nextInt();
    }

    private static long nearLong(final Random random) {
        return random.nextBoolean() ? random.nextInt(5) - 2 : random.nextLong();
    }

    private static int floatBits(final Random random) {
        final int[] special = {0, 0x8000_0000, 0x7FC0_0000, 0x7F80_0001, 0xFFC0_0123, 0x7F80_0000};
        return random.nextBoolean() ? special[random.nextInt(special.length)] : random.nextInt();
    }

    private static long doubleBits(final Random random) {
        final long[] special = {
            0,
            Long.MIN_VALUE,
            0x7FF8_0000_0000_0000L,
            0x7FF0_0000_0000_0001L,
            0xFFF8_0000_0000_0123L,
            0x7FF0_0000_0000_0000L
        };
        return random.nextBoolean() ? special[random.nextInt(special.length)] : random.nextLong();
    }

    @Property(tries = 2000)
    void agreesWithTheComparator(@ForAll("types") final KeyType type, @ForAll final long seed) {
        final Random random = new Random(seed);
        final KeyOrder order = KeyOrders.of(type.comparator);
        final byte[] a = atOffset(type.key(random), 3);
        final byte[] b = atOffset(type.key(random), 5);
        final int expected =
                Integer.signum(type.comparator.compare(a, 3, a.length - 3, b, 5, b.length - 5));
        final int opposite =
                Integer.signum(type.comparator.compare(b, 5, b.length - 5, a, 3, a.length - 3));
        assertThat(opposite).isEqualTo(-expected);

        assertThat(Integer.signum(order.compare(a, 3, a.length - 3, b, 5, b.length - 5)))
                .isEqualTo(expected);
        assertThat(Integer.signum(order.compare(b, 5, b.length - 5, a, 3, a.length - 3)))
                .isEqualTo(-expected);
        assertThat(byPrefixes(order, a, 3, b, 5)).isEqualTo(expected);
        assertThat(byPrefixes(order, b, 5, a, 3)).isEqualTo(-expected);
    }

    private static byte[] atOffset(final byte[] key, final int offset) {
        final byte[] shifted = new byte[offset + key.length];
        System.arraycopy(key, 0, shifted, offset, key.length);
        return shifted;
    }

    /** The order that prefix, chunk and contentLength promise. */
    private static int byPrefixes(
            final KeyOrder order,
            final byte[] a,
            final int aStart,
            final byte[] b,
            final int bStart) {
        final int aLength = a.length - aStart;
        final int bLength = b.length - bStart;
        int compared =
                Long.compareUnsigned(
                        order.prefix(a, aStart, aLength), order.prefix(b, bStart, bLength));
        if (compared != 0 || order.strength() == KeyOrder.Strength.TOTAL) {
            return Integer.signum(compared);
        }
        final int aContent = order.contentLength(a, aStart, aLength);
        final int bContent = order.contentLength(b, bStart, bLength);
        for (int depth = 8; depth < Math.max(aContent, bContent); depth += 8) {
            compared =
                    Long.compareUnsigned(
                            order.chunk(a, aStart, aLength, depth),
                            order.chunk(b, bStart, bLength, depth));
            if (compared != 0) {
                return Integer.signum(compared);
            }
        }
        return Integer.compare(aContent, bContent);
    }

    @Test
    void knowsWhatHadoopRegisters() {
        for (final KeyType type : TYPES) {
            assertThat(KeyOrders.of(type.comparator).strength())
                    .as(type.toString())
                    .isNotEqualTo(KeyOrder.Strength.NONE);
            if (type.comparator.getClass() != LongWritable.DecreasingComparator.class) {
                assertThat(
                                WritableComparator.get(
                                        type.keyClass.asSubclass(WritableComparable.class)))
                        .isExactlyInstanceOf(type.comparator.getClass());
            }
        }
    }

    @Test
    void givesNoPrefixesToWhatItDoesNotKnow() {
        assertThat(KeyOrders.of(new ReversedText()).strength()).isEqualTo(KeyOrder.Strength.NONE);
        assertThat(KeyOrders.of(WritableComparator.get(VIntWritable.class)).strength())
                .isEqualTo(KeyOrder.Strength.NONE);
        assertThat(KeyOrders.of(WritableComparator.get(VLongWritable.class)).strength())
                .isEqualTo(KeyOrder.Strength.NONE);
        assertThat(KeyOrders.comparing(new Text.Comparator()).strength())
                .isEqualTo(KeyOrder.Strength.NONE);
    }

    @Test
    void asksProviders() {
        final KeyOrder order = KeyOrders.of(new TestKeyOrderProvider.KnownComparator());
        assertThat(order.strength()).isEqualTo(KeyOrder.Strength.TOTAL);
        assertThat(order.prefix(new byte[] {7}, 0, 1)).isEqualTo(7);
    }

    /** A subclass of a known comparator that orders otherwise. */
    static final class ReversedText extends Text.Comparator {
        @Override
        public int compare(
                final byte[] a,
                final int aStart,
                final int aLength,
                final byte[] b,
                final int bStart,
                final int bLength) {
            return super.compare(b, bStart, bLength, a, aStart, aLength);
        }
    }
}
