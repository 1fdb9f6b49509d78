// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.util.ReflectionUtils;

/** What a mapper emits: a function of the spec, the map's number and the record's number. */
final class RecordEmitter {
    private final Configuration conf;
    private final MapStyle style;
    private final KeyKind keys;
    private final ValueKind values;
    private final long seed;
    private final int records;
    private Writable reusedKey;
    private Writable reusedValue;

    RecordEmitter(final Configuration conf) {
        this.conf = conf;
        this.style = JobSpec.mapStyle(conf);
        this.keys = JobSpec.keyKind(conf);
        this.values = JobSpec.valueKind(conf);
        this.seed = JobSpec.seed(conf);
        this.records = JobSpec.recordsPerMap(conf);
    }

    /** Where a mapper's records go. */
    @FunctionalInterface
    interface Output {
        void write(Object key, Object value) throws IOException, InterruptedException;
    }

    void emit(final int map, final int index, final Output output)
            throws IOException, InterruptedException {
        final SplittableRandom random =
                new SplittableRandom(seed ^ ((long) map << 40) ^ index * 0x9E3779B97F4A7C15L);
        final Object key = keys.make(random);
        final Object value = values.make(random, Serialized.bytes(key));
        switch (style) {
            case PLAIN -> output.write(reuseKey(key), reuseValue(value));
            case MULTITHREADED -> output.write(key, value);
            case ODD_MAPS_SILENT -> {
                if (map % 2 == 0) {
                    output.write(reuseKey(key), reuseValue(value));
                }
            }
            case SILENT -> {}
            default -> emitFaulty(key, value, map == 1 && index == records / 2, output);
        }
    }

    private void emitFaulty(
            final Object key, final Object value, final boolean now, final Output output)
            throws IOException, InterruptedException {
        if (!now) {
            output.write(key, value);
            return;
        }
        switch (style) {
            case WRONG_KEY_CLASS -> output.write(new BytesWritable(new byte[3]), value);
            case KEY_SUBCLASS -> output.write(new SubText(), value);
            case WRONG_VALUE_CLASS -> output.write(key, new BytesWritable(new byte[3]));
            default -> throw new IOException("The mapper fails on purpose");
        }
    }

    private Object reuseKey(final Object key) throws IOException {
        if (!reusable(key)) {
            return key;
        }
        if (reusedKey == null) {
            reusedKey = (Writable) ReflectionUtils.newInstance(key.getClass(), conf);
        }
        Serialized.copy((Writable) key, reusedKey);
        return reusedKey;
    }

    private Object reuseValue(final Object value) throws IOException {
        if (!reusable(value)) {
            return value;
        }
        if (reusedValue == null) {
            reusedValue = (Writable) ReflectionUtils.newInstance(value.getClass(), conf);
        }
        Serialized.copy((Writable) value, reusedValue);
        return reusedValue;
    }

    private static boolean reusable(final Object object) {
        return object instanceof Writable && !(object instanceof NullWritable);
    }

    /** Is a Text, but not exactly of that class. */
    static final class SubText extends Text {}
}
