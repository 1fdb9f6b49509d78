// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task that is silent for mapreduce.task.timeout is killed, however hard it works: no step of the
 * job's own code may be repeated many times without a sign of life.
 */
class MapProgressTest {
    private static final int RECORDS = 60_000;

    /** At a millisecond a step, which is slow, these are 20 s. */
    private static final long MOST_SILENT_STEPS = 20_000;

    @TempDir private Path local;

    /** Steps of the job's code, in this thread. */
    static final class Steps {
        private static long steps;
        private static long lastSign;
        private static long longest;

        private Steps() {}

        static void reset() {
            steps = 0;
            lastSign = 0;
            longest = 0;
        }

        static void step() {
            steps++;
            longest = Math.max(longest, steps - lastSign);
        }

        static void sign() {
            lastSign = steps;
        }
    }

    /** Of no known byte order. */
    public static final class Slow extends WritableComparator {
        /** Created by Hadoop. */
        public Slow() {
            super(Text.class);
        }

        @Override
        public int compare(
                final byte[] a,
                final int aStart,
                final int aLength,
                final byte[] b,
                final int bStart,
                final int bLength) {
            Steps.step();
            return compareBytes(a, aStart, aLength, b, bStart, bLength);
        }
    }

    /** Keeps the first value of each key; of the new API, which gives no signs of its own. */
    public static final class First extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            Text first = null;
            for (final Text value : values) {
                first = first == null ? new Text(value) : first;
                Steps.step();
            }
            context.write(key, first);
        }
    }

    @BeforeEach
    void reset() {
        Steps.reset();
    }

    private void run(final MapFixture fixture, final int keys) throws Exception {
        final Random random = new Random(7);
        final MapOutputCollector<Text, Text> collector = fixture.collector(0, Steps::sign);
        final Text key = new Text();
        final Text value = new Text("value");
        for (int i = 0; i < RECORDS; i++) {
            key.set("key " + random.nextInt(keys));
            collector.collect(key, value, 0);
        }
        collector.flush();
        collector.close();
        assertThat(Steps.steps).isGreaterThan(RECORDS / 2);
        assertThat(Steps.longest).isLessThan(MOST_SILENT_STEPS);
    }

    @Test
    void givesSignsOfLifeWhileItSortsBySlowComparisons() throws Exception {
        final MapFixture fixture = new MapFixture(local, 1);
        fixture.conf.setOutputKeyComparatorClass(Slow.class);
        run(fixture, Integer.MAX_VALUE);
    }

    @Test
    void givesSignsOfLifeWhileItMergesBySlowComparisons() throws Exception {
        final MapFixture fixture = new MapFixture(local, 1);
        fixture.conf.setInt("mapreduce.task.io.sort.mb", 1);
        fixture.conf.set("spillway.spill.merge", "always");
        fixture.conf.setOutputKeyComparatorClass(Slow.class);
        run(fixture, Integer.MAX_VALUE);
    }

    @Test
    void givesSignsOfLifeWhileItCombinesMuchIntoLittle() throws Exception {
        final MapFixture fixture = new MapFixture(local, 1);
        fixture.conf.setClass(MRJobConfig.COMBINE_CLASS_ATTR, First.class, Reducer.class);
        run(fixture, 2);
    }
}
