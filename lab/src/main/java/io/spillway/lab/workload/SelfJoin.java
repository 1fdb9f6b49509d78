// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * PUMA's SelfJoin, a step of association mining: of candidates of five items {@code a,b,c,d,e},
 * with repeated ones among them, those that have all but the last item in common, as candidates of
 * six.
 */
public final class SelfJoin extends SuiteProgram {
    private static final int ITEMS_BEFORE = 4;
    private static final int RANGE = 1000;
    private static final int LAST_ITEMS = 24;
    private static final int LINE = 35;
    private static final int LINES_A_GROUP = 8;

    @Override
    void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        final SplittableRandom random = share.random(seed());
        final long groups = Math.max(1, share.bytes() / (LINE * LINES_A_GROUP));
        while (!out.isFull()) {
            long group = random.nextLong(groups);
            final StringBuilder line = new StringBuilder();
            for (int item = 0; item < ITEMS_BEFORE; item++) {
                line.append(item(item * RANGE + (int) (group % RANGE))).append(',');
                group /= RANGE;
            }
            out.add(line + item(ITEMS_BEFORE * RANGE + random.nextInt(LAST_ITEMS)));
        }
    }

    /** All of the same length, so that they are in order as texts, too. */
    private static String item(final int number) {
        return "i" + (10 * RANGE + number);
    }

    /** Emits (all items but the last, the last). */
    public static final class CandidateMapper extends Mapper<LongWritable, Text, Text, Text> {
        private final Text before = new Text();
        private final Text last = new Text();

        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final String text = line.toString();
            final int comma = text.lastIndexOf(',');
            before.set(text.substring(0, comma));
            last.set(text.substring(comma + 1));
            context.write(before, last);
        }
    }

    private static NavigableSet<String> distinct(final Iterable<Text> items) {
        final NavigableSet<String> distinct = new TreeSet<>();
        for (final Text item : items) {
            distinct.add(item.toString());
        }
        return distinct;
    }

    /** Drops repeated candidates. */
    public static final class DistinctCombiner extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(
                final Text before,
                final Iterable<Text> items,
                final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            for (final String item : distinct(items)) {
                context.write(before, new Text(item));
            }
        }
    }

    /** Emits each two last items of a group. */
    public static final class PairReducer extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(
                final Text before,
                final Iterable<Text> items,
                final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final NavigableSet<String> distinct = distinct(items);
            for (final String one : distinct) {
                for (final String other : distinct.tailSet(one, false)) {
                    context.write(before, new Text(one + "," + other));
                }
            }
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("pairs", in, out);
        job.setMapperClass(CandidateMapper.class);
        job.setCombinerClass(DistinctCombiner.class);
        job.setReducerClass(PairReducer.class);
        finish(job);
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        for (final KeyShare keys : KeyShare.of(in.bytes())) {
            recompute(in, keys, expected);
        }
    }

    /** Each last item is a bit of its group's number. */
    private static void recompute(
            final TextFolder in, final KeyShare keys, final Consumer<String> expected)
            throws IOException {
        final int first = Integer.parseInt(item(ITEMS_BEFORE * RANGE).substring(1));
        final Map<String, Integer> groups = new HashMap<>();
        in.forEach(
                (file, line) -> {
                    final int comma = line.lastIndexOf(',');
                    final String before = line.substring(0, comma);
                    if (keys.has(before)) {
                        final int last = Integer.parseInt(line.substring(comma + 2)) - first;
                        groups.merge(before, 1 << last, (one, other) -> one | other);
                    }
                });
        groups.forEach(
                (before, bits) -> {
                    for (int one = 0; one < LAST_ITEMS; one++) {
                        for (int other = one + 1; other < LAST_ITEMS; other++) {
                            if (((bits >>> one) & (bits >>> other) & 1) == 1) {
                                expected.accept(
                                        before + "\ti" + (first + one) + ",i" + (first + other));
                            }
                        }
                    }
                });
    }
}
