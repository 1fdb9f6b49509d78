// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.lab.job.LabPrograms;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;

/**
 * A workload of this test alone, as a user may bring one: lines of numbers, sorted. This class and
 * its line in {@code META-INF/services} are all that there is of it.
 */
public final class NumbersWorkload implements Workload {
    private static final int DIGITS = 12;

    @Override
    public String label() {
        return "numbers";
    }

    @Override
    public String suite() {
        return "a test";
    }

    @Override
    public String summary() {
        return "lines of twelve digits, sorted";
    }

    @Override
    public boolean keepsRecords() {
        return true;
    }

    @Override
    public JobSpec generator(final Input input) {
        return LabPrograms.tool(
                Generator.class.getName(),
                input.folder(),
                String.valueOf(input.bytes()),
                String.valueOf(input.files()));
    }

    @Override
    public JobSpec job(final String input, final String output, final int reduces) {
        return LabPrograms.tool(Sorter.class.getName(), input, output);
    }

    @Override
    public Map<String, String> copyProperties() {
        return Map.of("mapreduce.job.map.class", "io.spillway.lab.workload.CopyJob$LineMapper");
    }

    @Override
    public JobSpec check(final String input, final String output) {
        return LabPrograms.tool("digest", "lines", output);
    }

    /** Writes files of lines: FOLDER BYTES FILES. */
    public static final class Generator extends Configured implements Tool {
        @Override
        public int run(final String[] arguments) throws IOException {
            final int files = Integer.parseInt(arguments[2]);
            final long lines = Long.parseLong(arguments[1]) / (DIGITS + 1) / files;
            final Path folder = Files.createDirectories(Path.of(arguments[0]));
            for (int file = 0; file < files; file++) {
                write(folder.resolve("numbers-" + file), lines, new SplittableRandom(file));
            }
            return 0;
        }

        private static void write(final Path file, final long lines, final SplittableRandom random)
                throws IOException {
            try (BufferedWriter out = Files.newBufferedWriter(file)) {
                for (long line = 0; line < lines; line++) {
                    out.write(String.format("%012d%n", random.nextLong(1_000_000_000_000L)));
                }
            }
        }
    }

    /** Sorts lines: IN OUT. */
    public static final class Sorter extends Configured implements Tool {
        @Override
        public int run(final String[] arguments) throws Exception {
            final Job job = Job.getInstance(getConf(), "numbers");
            job.setJarByClass(Sorter.class);
            job.setMapperClass(Keys.class);
            job.setReducerClass(Lines.class);
            job.setMapOutputKeyClass(Text.class);
            job.setMapOutputValueClass(NullWritable.class);
            job.setOutputKeyClass(Text.class);
            job.setOutputValueClass(NullWritable.class);
            FileInputFormat.setInputPaths(job, new org.apache.hadoop.fs.Path(arguments[0]));
            FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(arguments[1]));
            return job.waitForCompletion(false) ? 0 : 1;
        }
    }

    /** A line is the key. */
    public static final class Keys extends Mapper<LongWritable, Text, Text, NullWritable> {
        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, Text, NullWritable>.Context context)
                throws IOException, InterruptedException {
            context.write(line, NullWritable.get());
        }
    }

    /** As many lines as there were. */
    public static final class Lines extends Reducer<Text, NullWritable, Text, NullWritable> {
        @Override
        protected void reduce(
                final Text line,
                final Iterable<NullWritable> times,
                final Reducer<Text, NullWritable, Text, NullWritable>.Context context)
                throws IOException, InterruptedException {
            for (final NullWritable time : times) {
                context.write(line, time);
            }
        }
    }
}
