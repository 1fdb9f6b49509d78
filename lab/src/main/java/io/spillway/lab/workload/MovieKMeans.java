// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * PUMA's k-means, one iteration: the movies of each cluster with all their ratings, and its new
 * centroid, which is the movie whose similarity to the old one is nearest the mean. All of the
 * input is shuffled, to few keys. A similarity is a whole number, so that the mean is the same in
 * any order.
 */
public final class MovieKMeans extends MovieProgram {
    private static final String CENTROID = "centroid ";

    /** A movie with all its ratings, and how similar it is to its cluster. */
    public static final class Member implements Writable {
        private final Text line = new Text();
        private long similarity;

        @Override
        public void write(final DataOutput out) throws IOException {
            out.writeLong(similarity);
            line.write(out);
        }

        @Override
        public void readFields(final DataInput in) throws IOException {
            similarity = in.readLong();
            line.readFields(in);
        }
    }

    /** Emits (cluster, movie with its similarity). */
    public static final class MemberMapper extends Mapper<LongWritable, Text, IntWritable, Member> {
        private final IntWritable cluster = new IntWritable();
        private final Member member = new Member();
        private MovieClusters clusters;

        @Override
        protected void setup(
                final Mapper<LongWritable, Text, IntWritable, Member>.Context context) {
            clusters = new MovieClusters(context.getConfiguration());
        }

        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, IntWritable, Member>.Context context)
                throws IOException, InterruptedException {
            final MovieRatings movie = MovieRatings.parse(line.toString());
            cluster.set(clusters.nearest(movie));
            member.similarity = clusters.similarity(cluster.get(), movie);
            member.line.set(line);
            context.write(cluster, member);
        }
    }

    /** What a cluster's centroid comes of. */
    private static final class Members {
        private record Movie(long similarity, long number) {}

        private final List<Movie> movies = new ArrayList<>();
        private long sum;

        void add(final long similarity, final String line) {
            movies.add(new Movie(similarity, Long.parseLong(line.substring(0, line.indexOf(':')))));
            sum += similarity;
        }

        /** Of two that are as near, the movie with the smaller number. */
        String centroid() {
            final long mean = sum / movies.size();
            Movie best = movies.get(0);
            for (final Movie movie : movies) {
                final long distance = Math.abs(movie.similarity - mean);
                final long least = Math.abs(best.similarity - mean);
                if (distance < least || (distance == least && movie.number < best.number)) {
                    best = movie;
                }
            }
            return CENTROID + best.number + " " + best.similarity;
        }
    }

    /** Emits a cluster's members, then its centroid. */
    public static final class CentroidReducer
            extends Reducer<IntWritable, Member, IntWritable, Text> {
        @Override
        protected void reduce(
                final IntWritable cluster,
                final Iterable<Member> values,
                final Reducer<IntWritable, Member, IntWritable, Text>.Context context)
                throws IOException, InterruptedException {
            final Members members = new Members();
            for (final Member member : values) {
                members.add(member.similarity, member.line.toString());
                context.write(cluster, member.line);
            }
            context.write(cluster, new Text(members.centroid()));
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("iteration", in, out);
        job.setMapperClass(MemberMapper.class);
        job.setReducerClass(CentroidReducer.class);
        job.setMapOutputValueClass(Member.class);
        job.setOutputKeyClass(IntWritable.class);
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
        final Map<Integer, Members> all = new HashMap<>();
        in.forEach(
                (file, line) -> {
                    final MovieRatings movie = MovieRatings.parse(line);
                    final int cluster = clusters.nearest(movie);
                    all.computeIfAbsent(cluster, key -> new Members())
                            .add(clusters.similarity(cluster, movie), line);
                    expected.accept(cluster + "\t" + line);
                });
        all.forEach((cluster, members) -> expected.accept(cluster + "\t" + members.centroid()));
    }
}
