// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.MarkableIterator;

/**
 * Writes down what a reducer sees: (group number and key, value), serialized; long ones by digest.
 */
final class GroupRecorder {
    /** The bytes in front of the key. */
    static final int GROUP_NUMBER_BYTES = Integer.BYTES;

    private static final int LONGEST_KEY = 1000;
    private static final int LONGEST_VALUE = 64;
    private static final int GROUPS_UNTIL_END = 3;
    private static final int REPLAYED = 5;

    private final ReduceStyle style;
    private int group = -1;

    GroupRecorder(final Configuration conf) {
        this.style = JobSpec.reduceStyle(conf);
    }

    /** Where the reducer's records go. */
    @FunctionalInterface
    interface Output {
        void write(BytesWritable key, BytesWritable value) throws IOException, InterruptedException;
    }

    /** Whether the reducer has seen enough. */
    boolean done() {
        return style == ReduceStyle.STOPS_EARLY && group == GROUPS_UNTIL_END;
    }

    /** One call of {@code reduce()}. The new API changes {@code key} as values are taken. */
    void reduce(final Object key, final Iterator<?> values, final Output output)
            throws IOException, InterruptedException {
        group++;
        switch (style) {
            case ALL, STOPS_EARLY -> all(key, values, output);
            case SUM -> sum(key, values, output);
            case DISTINCT -> distinct(key, values, output);
            case LINKED -> linked(key, values, output);
            case PARTIAL -> partial(key, values, output);
            case MARK_RESET -> markReset(key, values, output);
            case THROWS -> failing(key, values, output);
        }
    }

    private void all(final Object key, final Iterator<?> values, final Output output)
            throws IOException, InterruptedException {
        while (values.hasNext()) {
            final Object value = values.next();
            output.write(recorded(Serialized.bytes(key)), recorded(value));
        }
    }

    private void sum(final Object key, final Iterator<?> values, final Output output)
            throws IOException, InterruptedException {
        long sum = 0;
        while (values.hasNext()) {
            sum += ((LongWritable) values.next()).get();
        }
        output.write(recorded(Serialized.bytes(key)), recorded(new LongWritable(sum)));
    }

    private void distinct(final Object key, final Iterator<?> values, final Output output)
            throws IOException, InterruptedException {
        final TreeSet<Text> distinct = new TreeSet<>();
        while (values.hasNext()) {
            distinct.add(new Text((Text) values.next()));
        }
        for (final Text value : distinct) {
            output.write(recorded(Serialized.bytes(key)), recorded(value));
        }
    }

    private void linked(final Object key, final Iterator<?> values, final Output output)
            throws IOException, InterruptedException {
        final StringBuilder linked = new StringBuilder();
        values.forEachRemaining(linked::append);
        output.write(recorded(Serialized.bytes(key)), recorded(new Text(linked.toString())));
    }

    private void partial(final Object key, final Iterator<?> values, final Output output)
            throws IOException, InterruptedException {
        final byte[] firstKey = Serialized.bytes(key);
        final int most =
                switch (Math.floorMod(Arrays.hashCode(firstKey), 4)) {
                    case 0 -> 0;
                    case 1 -> 1;
                    case 2 -> 3;
                    default -> Integer.MAX_VALUE;
                };
        int taken = 0;
        while (taken < most && values.hasNext()) {
            values.next();
            taken++;
        }
        final byte[] text = ("took " + taken).getBytes(StandardCharsets.UTF_8);
        output.write(recorded(firstKey), new BytesWritable(text));
    }

    /** Hadoop may begin the replay with the value before the mark; no other is right. */
    private void markReset(final Object key, final Iterator<?> values, final Output output)
            throws IOException, InterruptedException {
        final byte[] firstKey = Serialized.bytes(key);
        final MarkableIterator<?> markable = new MarkableIterator<>(values);
        final List<BytesWritable> before = take(markable, 1);
        markable.mark();
        final List<BytesWritable> marked = take(markable, REPLAYED);
        markable.reset();
        final List<BytesWritable> rest = take(markable, Integer.MAX_VALUE);
        final List<BytesWritable> all = new ArrayList<>(before);
        all.addAll(marked);
        for (final List<BytesWritable> replay : List.of(all, marked)) {
            if (rest.size() >= replay.size() && rest.subList(0, replay.size()).equals(replay)) {
                all.addAll(rest.subList(replay.size(), rest.size()));
                for (final BytesWritable value : all) {
                    output.write(recorded(firstKey), value);
                }
                return;
            }
        }
        throw new IOException("reset() gives " + rest + ", expected " + all + " or only " + marked);
    }

    private static List<BytesWritable> take(final MarkableIterator<?> values, final int most)
            throws IOException {
        final List<BytesWritable> taken = new ArrayList<>();
        while (taken.size() < most && values.hasNext()) {
            taken.add(recorded(values.next()));
        }
        return taken;
    }

    private void failing(final Object key, final Iterator<?> values, final Output output)
            throws IOException, InterruptedException {
        if (group == GROUPS_UNTIL_END) {
            values.next();
            throw new IOException("The reducer fails on purpose");
        }
        all(key, values, output);
    }

    private BytesWritable recorded(final byte[] key) {
        final byte[] kept = Serialized.digestIfLonger(key, LONGEST_KEY);
        return new BytesWritable(
                ByteBuffer.allocate(GROUP_NUMBER_BYTES + kept.length)
                        .putInt(group)
                        .put(kept)
                        .array());
    }

    private static BytesWritable recorded(final Object value) throws IOException {
        return new BytesWritable(Serialized.digestIfLonger(Serialized.bytes(value), LONGEST_VALUE));
    }
}
