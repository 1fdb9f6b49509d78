// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.util.SplittableRandom;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;

/** The values that a map emits. */
enum ValueKind {
    /** Any long: a value that gets lost or doubled changes every sum. */
    LONG(LongWritable.class) {
        @Override
        Object make(final SplittableRandom random, final byte[] key) {
            return new LongWritable(random.nextLong());
        }
    },
    /** A short text that repeats. */
    TEXT(Text.class) {
        @Override
        Object make(final SplittableRandom random, final byte[] key) {
            return new Text("value-" + random.nextInt(1000));
        }
    },
    /** No bytes at all. */
    NULL(NullWritable.class) {
        @Override
        Object make(final SplittableRandom random, final byte[] key) {
            return NullWritable.get();
        }
    },
    /** The bytes of the record's key: shows the sort order inside a group. */
    ECHO(BytesWritable.class) {
        @Override
        Object make(final SplittableRandom random, final byte[] key) {
            return new BytesWritable(key);
        }
    },
    /** A hundred bytes. */
    BYTES_100(BytesWritable.class) {
        @Override
        Object make(final SplittableRandom random, final byte[] key) {
            return bytes(random, 100);
        }
    },
    /** From no byte to 40 kB, mostly few. */
    BYTES_VARIED(BytesWritable.class) {
        @Override
        Object make(final SplittableRandom random, final byte[] key) {
            return bytes(random, random.nextInt(1 + (5 << random.nextInt(14))));
        }
    },
    /** Mostly few bytes; one in forty is larger than a sort buffer of 1 MB. */
    BYTES_HUGE(BytesWritable.class) {
        @Override
        Object make(final SplittableRandom random, final byte[] key) {
            return bytes(random, random.nextInt(40) == 0 ? HUGE : random.nextInt(50));
        }
    },
    /** A java.lang.Long, by Java serialization. */
    JAVA_LONG(Long.class) {
        @Override
        Object make(final SplittableRandom random, final byte[] key) {
            return random.nextLong();
        }
    };

    private static final int HUGE = 3 << 20;

    private final Class<?> type;

    ValueKind(final Class<?> type) {
        this.type = type;
    }

    Class<?> type() {
        return type;
    }

    abstract Object make(SplittableRandom random, byte[] key);

    private static BytesWritable bytes(final SplittableRandom random, final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return new BytesWritable(bytes);
    }
}
