// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;

/**
 * PUMA's HistogramMovies: how many movies have which average rating, rounded up to half a star.
 * With a combiner there is hardly a shuffle.
 */
public final class HistogramMovies extends MovieProgram {
    /** Emits (average, 1) for each movie. */
    public static final class AverageMapper
            extends Mapper<LongWritable, Text, FloatWritable, IntWritable> {
        private final FloatWritable average = new FloatWritable();
        private final IntWritable one = new IntWritable(1);

        @Override
        protected void map(final LongWritable offset, final Text line, final Context context)
                throws IOException, InterruptedException {
            final int[] stars = MovieRatings.parse(line.toString()).stars();
            int sum = 0;
            for (final int rating : stars) {
                sum += rating;
            }
            final int halves = (2 * sum + stars.length - 1) / stars.length;
            average.set(halves / 2f);
            context.write(average, one);
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("histogram", in, out);
        job.setMapperClass(AverageMapper.class);
        job.setCombinerClass(IntSumReducer.class);
        job.setReducerClass(IntSumReducer.class);
        job.setOutputKeyClass(FloatWritable.class);
        job.setOutputValueClass(IntWritable.class);
        finish(job);
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final Map<Double, Integer> bins = new TreeMap<>();
        in.forEach(
                (file, line) -> {
                    final int[] stars = MovieRatings.parse(line).stars();
                    final double mean = IntStream.of(stars).average().orElseThrow();
                    bins.merge(Math.ceil(mean * 2) / 2, 1, Integer::sum);
                });
        bins.forEach((bin, movies) -> expected.accept(bin + "\t" + movies));
    }
}
