// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.differential.TestKeys.BackwardText;
import io.spillway.hadoop.differential.TestKeys.PairKey;
import io.spillway.hadoop.differential.TestKeys.PlainText;
import io.spillway.hadoop.differential.TestKeys.RawPairKey;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.VIntWritable;
import org.apache.hadoop.io.VLongWritable;

/** The keys that a map emits. Every kind repeats some keys and hits its type's extremes. */
enum KeyKind {
    TEXT(Text.class, r -> new Text("key-" + r.nextInt(400))),
    TEXT_LONG_PREFIX(Text.class, r -> new Text("/warehouse/logs/part=" + r.nextInt(300))),
    TEXT_ZEROS(Text.class, r -> new Text(zeros(r))),
    TEXT_EMPTY(Text.class, r -> new Text()),
    TEXT_UNICODE(Text.class, r -> new Text("é€𝄞".repeat(r.nextInt(20)) + r.nextInt(9))),
    TEXT_MIXED_CASE(Text.class, r -> new Text(mixedCase(r))),
    TEXT_FIELDS(Text.class, r -> new Text("f" + r.nextInt(9) + "\t" + r.nextInt(90))),
    TEXT_PRIMARY(Text.class, r -> new Text("p" + r.nextInt(40) + "#" + r.nextInt(50))),
    TEXT_HUGE(Text.class, r -> new Text(hugeText(r))),
    BYTES(BytesWritable.class, r -> new BytesWritable(bytes(r, r.nextInt(3), 256))),
    BYTES_ZEROS(BytesWritable.class, r -> new BytesWritable(bytes(r, r.nextInt(18), 2))),
    BYTES_LONG(BytesWritable.class, r -> new BytesWritable(bytes(r, 8 + r.nextInt(300), 256))),
    NULL(NullWritable.class, r -> NullWritable.get()),
    BOOLEAN(BooleanWritable.class, r -> new BooleanWritable(r.nextBoolean())),
    BYTE(ByteWritable.class, r -> new ByteWritable((byte) r.nextInt())),
    SHORT(ShortWritable.class, r -> new ShortWritable((short) r.nextInt())),
    INT(IntWritable.class, r -> new IntWritable((int) extreme(r))),
    LONG(LongWritable.class, r -> new LongWritable(extreme(r))),
    FLOAT(FloatWritable.class, r -> new FloatWritable((float) fraction(r))),
    DOUBLE(DoubleWritable.class, r -> new DoubleWritable(fraction(r))),
    VINT(VIntWritable.class, r -> new VIntWritable((int) extreme(r))),
    VLONG(VLongWritable.class, r -> new VLongWritable(extreme(r))),
    MD5(MD5Hash.class, r -> MD5Hash.digest("m" + r.nextInt(300))),
    PAIR(PairKey.class, r -> new PairKey().set(r.nextInt(-20, 20), r.nextLong(-30, 30))),
    RAW_PAIR(RawPairKey.class, KeyKind::rawPair),
    PLAIN_TEXT(PlainText.class, r -> text(new PlainText(), r)),
    BACKWARD_TEXT(BackwardText.class, r -> text(new BackwardText(), r)),
    JAVA_STRING(String.class, r -> "s" + r.nextInt(200));

    private static final long[] EXTREMES = {
        0,
        1,
        -1,
        127,
        128,
        -112,
        -113,
        255,
        256,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 32,
        -1L << 32,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };
    private static final double[] FRACTIONS = {
        0.0,
        -0.0,
        1,
        -1,
        Double.MIN_VALUE,
        -Double.MIN_VALUE,
        Double.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.NaN
    };
    private static final int HUGE = 3 << 20;

    private final Class<?> type;

    @SuppressWarnings("ImmutableEnumChecker") // the lambdas above have no state
    private final Function<SplittableRandom, Object> maker;

    KeyKind(final Class<?> type, final Function<SplittableRandom, Object> maker) {
        this.type = type;
        this.maker = maker;
    }

    Class<?> type() {
        return type;
    }

    Object make(final SplittableRandom random) {
        return maker.apply(random);
    }

    private static Object rawPair(final SplittableRandom random) {
        // The first number follows from the second: keys that compare equal are equal.
        final int number = random.nextInt(-200, 200);
        return new RawPairKey().set(number * 31 % 17, number);
    }

    private static Text text(final Text key, final SplittableRandom random) {
        key.set("text-" + random.nextInt(300));
        return key;
    }

    private static String zeros(final SplittableRandom random) {
        final String stem = "abcdefghi".substring(0, random.nextInt(10));
        return stem + "\0".repeat(random.nextInt(4)) + (random.nextInt(4) == 0 ? "x" : "");
    }

    private static String mixedCase(final SplittableRandom random) {
        final String word = "Word" + random.nextInt(60);
        return random.nextBoolean() ? word : word.toUpperCase(Locale.ROOT);
    }

    private static String hugeText(final SplittableRandom random) {
        final String end = Integer.toString(random.nextInt(100));
        return random.nextInt(40) == 0 ? "h".repeat(HUGE) + end : "h" + end;
    }

    private static byte[] bytes(final SplittableRandom random, final int length, final int values) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.nextInt(values);
        }
        return bytes;
    }

    private static long extreme(final SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> EXTREMES[random.nextInt(EXTREMES.length)];
            case 1 -> random.nextInt(-300, 300);
            default -> random.nextLong();
        };
    }

    private static double fraction(final SplittableRandom random) {
        return random.nextBoolean()
                ? FRACTIONS[random.nextInt(FRACTIONS.length)]
                : random.nextInt(-200, 200) / 8.0;
    }
}
