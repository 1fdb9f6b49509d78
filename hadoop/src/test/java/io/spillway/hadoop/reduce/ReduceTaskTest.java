// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.TestSegment;
import io.spillway.hadoop.SpillwayShuffle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Hadoop's own ReduceTask with the plug-in, for both of Hadoop's APIs. */
@Timeout(value = 90, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReduceTaskTest {
    private static final int MAPS = 9;

    /** What the reducers saw; they are created by Hadoop. */
    private static final Map<String, List<String>> SEEN = new TreeMap<>();

    private static final List<String> KEYS = new ArrayList<>();

    @TempDir Path localDir;

    /** The values of the tests are Text, too. */
    private static List<TestSegment.Entry> entries(final Random random, final int map) {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            final String text = "value-" + map + "-" + i;
            entries.add(
                    new TestSegment.Entry(
                            "key-" + random.nextInt(700), (char) text.length() + text));
        }
        return entries;
    }

    private static void see(final Text key, final Iterable<Text> values) {
        KEYS.add(key.toString());
        final List<String> seen = SEEN.computeIfAbsent(key.toString(), k -> new ArrayList<>());
        values.forEach(value -> seen.add(value.toString()));
    }

    /** The new API. */
    public static final class NewReducer extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context) {
            see(key, values);
        }
    }

    /** The old API. */
    public static final class OldReducer extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<Text, Text, Text, Text> {
        @Override
        public void reduce(
                final Text key,
                final Iterator<Text> values,
                final OutputCollector<Text, Text> output,
                final Reporter reporter) {
            see(new Text(key), () -> values);
        }
    }

    @BeforeEach
    void forget() {
        SEEN.clear();
        KEYS.clear();
    }

    private void run(final ReduceFixture task) throws Exception {
        final Map<String, List<String>> expected = new TreeMap<>();
        final Random random = new Random(4);
        try (FileNode node = new FileNode()) {
            for (int map = 0; map < MAPS; map++) {
                final TestSegment segment = TestSegment.of(entries(random, map), null);
                segment.records()
                        .forEach(
                                entry ->
                                        expected.computeIfAbsent(
                                                        entry.key(), k -> new ArrayList<>())
                                                .add(entry.value().substring(1)));
                node.put(localDir, ReduceFixture.map(map, 0).toString(), segment);
                task.succeeded(ReduceFixture.map(map, 0), node.address());
            }
            runTask(task);
        }
        assertThat(SEEN).isEqualTo(expected);
        assertThat(KEYS).isSorted().doesNotHaveDuplicates();
    }

    private static void runTask(final ReduceFixture task)
            throws IOException, InterruptedException, ClassNotFoundException {
        final JobConf conf = task.conf;
        conf.setClass(
                MRConfig.SHUFFLE_CONSUMER_PLUGIN,
                SpillwayShuffle.class,
                org.apache.hadoop.mapred.ShuffleConsumerPlugin.class);
        conf.setOutputKeyClass(Text.class);
        conf.setOutputValueClass(Text.class);
        conf.setInt(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, 100);
        conf.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
        task.task.localizeConfiguration(conf);
        task.task.run(conf, task.umbilical.protocol());
    }

    @Test
    void newApi() throws Exception {
        final ReduceFixture task = new ReduceFixture(MAPS, localDir).minimalBuffer(2048);
        task.conf.setUseNewReducer(true);
        task.conf.setClass(MRJobConfig.REDUCE_CLASS_ATTR, NewReducer.class, Reducer.class);
        task.conf.setClass(
                MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR,
                org.apache.hadoop.mapreduce.lib.output.NullOutputFormat.class,
                org.apache.hadoop.mapreduce.OutputFormat.class);

        run(task);
    }

    @Test
    void oldApi() throws Exception {
        final ReduceFixture task = new ReduceFixture(MAPS, localDir).minimalBuffer(2048);
        task.conf.setReducerClass(OldReducer.class);
        task.conf.setOutputFormat(org.apache.hadoop.mapred.lib.NullOutputFormat.class);
        task.conf.setOutputCommitter(NoCommitter.class);

        run(task);
    }

    /** Commits nothing. */
    public static final class NoCommitter extends org.apache.hadoop.mapred.OutputCommitter {
        @Override
        public void setupJob(final org.apache.hadoop.mapred.JobContext context) {}

        @Override
        public void setupTask(final org.apache.hadoop.mapred.TaskAttemptContext context) {}

        @Override
        public boolean needsTaskCommit(final org.apache.hadoop.mapred.TaskAttemptContext context) {
            return false;
        }

        @Override
        public void commitTask(final org.apache.hadoop.mapred.TaskAttemptContext context) {}

        @Override
        public void abortTask(final org.apache.hadoop.mapred.TaskAttemptContext context) {}
    }
}
