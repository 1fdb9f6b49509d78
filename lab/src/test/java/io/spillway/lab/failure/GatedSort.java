// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskInputOutputContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Sorts lines by their first {@link #KEY_LENGTH} characters, and stops at gates until a test opens
 * them: the map of the file {@link #GATE_INPUT}, and every reducer at its first record. So a test
 * can act when a job is at a known point, whatever the machine's speed.
 */
public final class GatedSort extends Configured implements Tool {
    static final int KEY_LENGTH = 12;

    /** The input file whose map waits. */
    static final String GATE_INPUT = "gate";

    /** Property: the file that lets that map go on; without it the map does not wait. */
    static final String MAP_GATE = "gated.sort.gate.map";

    /** Property: the file that lets reducers go on; without it they do not wait. */
    static final String REDUCE_GATE = "gated.sort.gate.reduce";

    /**
     * Property: the file that lets slow attempts go on; without it there are none. Slow is the
     * first attempt of the map of {@link #SLOW_INPUT}, after half of its records, and the first
     * attempt of the first reducer.
     */
    static final String SLOW_GATE = "gated.sort.gate.slow";

    /**
     * Property: whether keys are the lines' first character alone, and values tell the map's number
     * and the line's place. Then lines that come in map order are sorted as wholes.
     */
    static final String TIES = "gated.sort.ties";

    /** Property: the input file whose map fails after half of its records, each time it runs. */
    static final String FAILING_INPUT = "gated.sort.failing.input";

    /**
     * Property: whether the JVMs of maps' first attempts live on when their map has succeeded, as a
     * thread that user code has forgotten makes them.
     */
    static final String LINGERING = "gated.sort.lingering";

    /** The characters in front of a line's rest where there are {@link #TIES}. */
    static final String TIES_PLACE = "%03d.%09d.";

    /** Property: how many counters of its own each map has. */
    static final String MAP_COUNTERS = "gated.sort.counters.map";

    /** Property: how many counters of its own, of other names, each reducer has. */
    static final String REDUCE_COUNTERS = "gated.sort.counters.reduce";

    /** The group of these counters. */
    static final String COUNTER_GROUP = "gated.sort";

    /** The input file whose map is slow at first. */
    static final String SLOW_INPUT = "data-0";

    /** What a waiting reducer appends to its gate's name, and then its own, in a file it makes. */
    static final String REACHED = ".reached-";

    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(12);
    private static final long PAUSE_MILLIS = 100;

    /**
     * The local file system without checksums, which hold back the last block of a file that is
     * still written to: an ApplicationMaster that is killed leaves the whole history of its job, as
     * it does on a file system that is made for it.
     */
    public static final class UncheckedFiles extends LocalFileSystem {
        @Override
        public void initialize(final URI name, final Configuration conf) throws IOException {
            super.initialize(name, conf);
            setWriteChecksum(false);
        }
    }

    /** Cuts lines into key and value. */
    public static final class CuttingMapper extends Mapper<LongWritable, Text, Text, Text> {
        private final Text key = new Text();
        private final Text value = new Text();

        /** What this attempt waits for at half of its input; null where it does not. */
        private String slowGate;

        private long half;
        private boolean fails;
        private boolean makesTies;

        @Override
        protected void setup(final Mapper<LongWritable, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            makesTies = context.getConfiguration().getBoolean(TIES, false);
            count(MAP_COUNTERS, context);
            if (context.getConfiguration().getBoolean(LINGERING, false)
                    && isFirstAttempt(context)) {
                new Thread(CuttingMapper::linger, "forgotten").start();
            }
            if (!(context.getInputSplit() instanceof FileSplit split)) {
                return;
            }
            final String file = split.getPath().getName();
            final String gate = context.getConfiguration().get(MAP_GATE);
            if (gate != null && file.equals(GATE_INPUT)) {
                pass(Path.of(gate), context);
            }
            half = split.getLength() / 2;
            fails = file.equals(context.getConfiguration().get(FAILING_INPUT));
            if (file.equals(SLOW_INPUT) && isFirstAttempt(context)) {
                slowGate = context.getConfiguration().get(SLOW_GATE);
            }
        }

        private static void linger() {
            try {
                TimeUnit.NANOSECONDS.sleep(PATIENCE_NANOS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            if (slowGate != null && offset.get() > half) {
                pass(Path.of(slowGate), context);
            }
            if (fails && offset.get() > half) {
                throw new IOException("half of the records are enough");
            }
            final int keyLength = makesTies ? 1 : KEY_LENGTH;
            key.set(line.getBytes(), 0, keyLength);
            if (makesTies) {
                final int map = context.getTaskAttemptID().getTaskID().getId();
                value.set(TIES_PLACE.formatted(map, offset.get()) + line.toString().substring(1));
            } else {
                value.set(line.getBytes(), keyLength, line.getLength() - keyLength);
            }
            context.write(key, value);
        }
    }

    /** Writes what it gets. */
    public static final class WaitingReducer extends Reducer<Text, Text, Text, Text> {
        private boolean hasStarted;

        @Override
        protected void setup(final Reducer<Text, Text, Text, Text>.Context context) {
            count(REDUCE_COUNTERS, context);
        }

        private static void start(final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final String gate = context.getConfiguration().get(REDUCE_GATE);
            if (gate != null) {
                Files.createFile(Path.of(gate + REACHED + context.getTaskAttemptID()));
                pass(Path.of(gate), context);
            }
            final String slowGate = context.getConfiguration().get(SLOW_GATE);
            final int reducer = context.getTaskAttemptID().getTaskID().getId();
            if (slowGate != null && reducer == 0 && isFirstAttempt(context)) {
                pass(Path.of(slowGate), context);
            }
        }

        @Override
        protected void reduce(
                final Text key,
                final Iterable<Text> values,
                final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            if (!hasStarted) {
                hasStarted = true;
                start(context);
            }
            for (final Text value : values) {
                context.write(key, value);
            }
        }
    }

    private static void count(
            final String property, final TaskInputOutputContext<?, ?, ?, ?> context) {
        for (int i = context.getConfiguration().getInt(property, 0); i > 0; i--) {
            context.getCounter(COUNTER_GROUP, property + "." + i).increment(1);
        }
    }

    private static boolean isFirstAttempt(final TaskAttemptContext context) {
        return context.getTaskAttemptID().getId() == 0;
    }

    private static void pass(final Path gate, final TaskInputOutputContext<?, ?, ?, ?> context)
            throws IOException, InterruptedException {
        final long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!Files.exists(gate)) {
            if (System.nanoTime() > deadline) {
                throw new IOException("the gate was not opened: " + gate);
            }
            context.progress();
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    @Override
    public int run(final String[] arguments) throws Exception {
        final Job job = Job.getInstance(getConf(), "gated sort");
        job.setJarByClass(GatedSort.class);
        job.setMapperClass(CuttingMapper.class);
        job.setReducerClass(WaitingReducer.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        FileInputFormat.setInputPaths(job, new org.apache.hadoop.fs.Path(arguments[0]));
        FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(arguments[1]));
        return job.waitForCompletion(true) ? 0 : 1;
    }

    /** Sorts the folder that the first argument names into the one that the second names. */
    public static void main(final String[] arguments) throws Exception {
        System.exit(ToolRunner.run(new Configuration(), new GatedSort(), arguments));
    }
}
