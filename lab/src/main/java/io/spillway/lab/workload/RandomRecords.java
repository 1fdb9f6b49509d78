// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.util.Tool;

/**
 * Writes sequence files of random records with random sizes, as Hadoop's RandomWriter does, but of
 * a given size in all and the same on every run. Keys have 10 to 1000 bytes, values up to 20000,
 * unless {@code spillway.bench.random.{key,value}.{min,max}} say otherwise.
 */
public final class RandomRecords extends Configured implements Tool {
    private static final String BYTES = "spillway.bench.random.bytes";
    private static final String PREFIX = "spillway.bench.random.";

    /** Writes records until the file has its share of the bytes. */
    public static final class WritingMapper
            extends Mapper<LongWritable, NullWritable, BytesWritable, BytesWritable> {
        private static final int BLOCK = 1 << 16;

        private final byte[] random = new byte[2 * BLOCK];

        @Override
        protected void map(
                final LongWritable seed, final NullWritable nothing, final Context context)
                throws IOException, InterruptedException {
            final Configuration conf = context.getConfiguration();
            final int minKey = conf.getInt(PREFIX + "key.min", 10);
            final int maxKey = conf.getInt(PREFIX + "key.max", 1000);
            final int minValue = conf.getInt(PREFIX + "value.min", 0);
            final int maxValue = conf.getInt(PREFIX + "value.max", 20_000);
            checkSizes(minKey, maxKey, minValue, maxValue);
            final long share = conf.getLong(BYTES, 0) / SeedFormat.files(conf);
            final SplittableRandom source = new SplittableRandom(seed.get());
            source.nextBytes(random);
            final BytesWritable key = new BytesWritable();
            final BytesWritable value = new BytesWritable();
            long written = 0;
            while (written < share) {
                fill(key, source, source.nextInt(minKey, maxKey + 1));
                fill(value, source, source.nextInt(minValue, maxValue + 1));
                context.write(key, value);
                written += key.getLength() + value.getLength();
                context.progress();
            }
        }

        private static void checkSizes(
                final int minKey, final int maxKey, final int minValue, final int maxValue)
                throws IOException {
            if (minKey < 8 || maxKey < minKey || minValue < 0 || maxValue < minValue) {
                throw new IOException(
                        PREFIX
                                + "{key,value}.{min,max}="
                                + List.of(minKey, maxKey, minValue, maxValue)
                                + ": expected keys of at least 8 bytes, and min <= max");
            }
            if (Math.max(maxKey, maxValue) > BLOCK) {
                throw new IOException(PREFIX + "{key,value}.max: expected at most " + BLOCK);
            }
        }

        /** Random bytes from the block at a random place; eight fresh ones in front. */
        private void fill(
                final BytesWritable target, final SplittableRandom source, final int length) {
            target.set(random, source.nextInt(BLOCK), length);
            final byte[] bytes = target.getBytes();
            long fresh = source.nextLong();
            for (int index = 0; index < Math.min(8, length); index++) {
                bytes[index] = (byte) fresh;
                fresh >>>= 8;
            }
        }
    }

    @Override
    public int run(final String[] arguments) throws Exception {
        if (arguments.length != 3) {
            System.err.println("random-records OUT BYTES FILES");
            return 2;
        }
        getConf().setLong(BYTES, Long.parseLong(arguments[1]));
        SeedFormat.setFiles(getConf(), Integer.parseInt(arguments[2]));
        final Job job = Job.getInstance(getConf(), "random records");
        job.setJarByClass(RandomRecords.class);
        job.setInputFormatClass(SeedFormat.class);
        job.setMapperClass(WritingMapper.class);
        job.setNumReduceTasks(0);
        job.setOutputFormatClass(SequenceFileOutputFormat.class);
        job.setOutputKeyClass(BytesWritable.class);
        job.setOutputValueClass(BytesWritable.class);
        FileOutputFormat.setOutputPath(job, new Path(arguments[0]));
        return job.waitForCompletion(true) ? 0 : 1;
    }
}
