// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;

/**
 * PUMA's HistogramRatings: how many ratings have how many stars. A record for each rating, of which
 * the combiner leaves five a map.
 */
public final class HistogramRatings extends MovieProgram {
    /** Emits (stars, 1) for each rating. */
    public static final class StarsMapper
            extends Mapper<LongWritable, Text, IntWritable, IntWritable> {
        private final IntWritable stars = new IntWritable();
        private final IntWritable one = new IntWritable(1);

        @Override
        protected void map(final LongWritable offset, final Text line, final Context context)
                throws IOException, InterruptedException {
            for (final int rating : MovieRatings.parse(line.toString()).stars()) {
                stars.set(rating);
                context.write(stars, one);
            }
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("histogram", in, out);
        job.setMapperClass(StarsMapper.class);
        job.setCombinerClass(IntSumReducer.class);
        job.setReducerClass(IntSumReducer.class);
        job.setOutputKeyClass(IntWritable.class);
        job.setOutputValueClass(IntWritable.class);
        finish(job);
    }

    /** The digit between an underscore and the next comma. */
    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final Map<Character, Integer> stars = new TreeMap<>();
        in.forEach(
                (file, line) -> {
                    for (int bar = line.indexOf('_'); bar > 0; bar = line.indexOf('_', bar + 1)) {
                        stars.merge(line.charAt(bar + 1), 1, Integer::sum);
                    }
                });
        stars.forEach((rating, count) -> expected.accept(rating + "\t" + count));
    }
}
