// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * PUMA's Classification: the movies of each cluster by the cosine of their ratings. A record is a
 * cluster and a movie's number, so that the shuffle is small beside the input.
 */
public final class Classification extends MovieProgram {
    /** Emits (cluster, movie). */
    public static final class ClusterMapper
            extends Mapper<LongWritable, Text, IntWritable, LongWritable> {
        private final IntWritable cluster = new IntWritable();
        private final LongWritable movie = new LongWritable();
        private MovieClusters clusters;

        @Override
        protected void setup(final Context context) {
            clusters = new MovieClusters(context.getConfiguration());
        }

        @Override
        protected void map(final LongWritable offset, final Text line, final Context context)
                throws IOException, InterruptedException {
            final MovieRatings ratings = MovieRatings.parse(line.toString());
            cluster.set(clusters.nearest(ratings));
            movie.set(ratings.movie());
            context.write(cluster, movie);
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("classes", in, out);
        job.setMapperClass(ClusterMapper.class);
        job.setOutputKeyClass(IntWritable.class);
        job.setOutputValueClass(LongWritable.class);
        finish(job);
    }

    /** Keys are numbers. */
    @Override
    boolean isSortedByText() {
        return false;
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final MovieClusters clusters = new MovieClusters(getConf());
        in.forEach(
                (file, line) -> {
                    final String movie = line.substring(0, line.indexOf(':'));
                    expected.accept(clusters.nearest(MovieRatings.parse(line)) + "\t" + movie);
                });
    }
}
