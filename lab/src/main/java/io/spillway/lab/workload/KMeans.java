// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * HiBench's k-means: points of twenty dimensions, drawn from Gaussians around five places, in
 * {@code spillway.bench.kmeans.clusters} clusters by {@code spillway.bench.kmeans.iterations} jobs.
 * A map emits sums at its end: there is hardly a shuffle. Coordinates are whole thousandths, so
 * that sums are the same in any order.
 */
public final class KMeans extends SuiteProgram {
    private static final String CLUSTERS = "spillway.bench.kmeans.clusters";
    private static final String CENTROIDS = "spillway.bench.kmeans.centroids";
    private static final int DEFAULT_CLUSTERS = 10;
    private static final int ITERATIONS = 5;
    private static final int DIMENSIONS = 20;
    private static final int PLACES = 5;
    private static final int RANGE = 100_000;
    private static final int DEVIATION = 5_000;

    @Override
    void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        final long[][] places = new long[PLACES][DIMENSIONS];
        final SplittableRandom ofAll = new SplittableRandom(seed());
        for (final long[] place : places) {
            Arrays.setAll(place, dimension -> ofAll.nextInt(RANGE));
        }
        final SplittableRandom random = share.random(seed());
        final long[] point = new long[DIMENSIONS];
        while (!out.isFull()) {
            final long[] place = places[random.nextInt(PLACES)];
            Arrays.setAll(
                    point,
                    dimension -> place[dimension] + Math.round(DEVIATION * random.nextGaussian()));
            out.add(text(point));
        }
    }

    private static String text(final long[] numbers) {
        final StringBuilder text = new StringBuilder();
        for (final long number : numbers) {
            text.append(text.length() == 0 ? "" : " ").append(number);
        }
        return text.toString();
    }

    private static long[] numbers(final String text) {
        return Arrays.stream(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    }

    /** Adds up the points of each cluster, and emits (cluster, how many and their sums). */
    public static final class SumMapper extends Mapper<LongWritable, Text, IntWritable, Text> {
        private long[][] centroids;
        private long[][] sums;

        @Override
        protected void setup(final Mapper<LongWritable, Text, IntWritable, Text>.Context context) {
            final String[] texts = context.getConfiguration().get(CENTROIDS).split(";", -1);
            centroids = Arrays.stream(texts).map(KMeans::numbers).toArray(long[][]::new);
            sums = new long[centroids.length][DIMENSIONS + 1];
        }

        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, IntWritable, Text>.Context context) {
            final long[] point = numbers(line.toString());
            final long[] sum = sums[nearest(point)];
            sum[0]++;
            for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
                sum[dimension + 1] += point[dimension];
            }
        }

        private int nearest(final long[] point) {
            int nearest = 0;
            long least = Long.MAX_VALUE;
            for (int cluster = 0; cluster < centroids.length; cluster++) {
                long distance = 0;
                for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
                    final long apart = point[dimension] - centroids[cluster][dimension];
                    distance += apart * apart;
                }
                if (distance < least) {
                    nearest = cluster;
                    least = distance;
                }
            }
            return nearest;
        }

        @Override
        protected void cleanup(final Mapper<LongWritable, Text, IntWritable, Text>.Context context)
                throws IOException, InterruptedException {
            for (int cluster = 0; cluster < sums.length; cluster++) {
                if (sums[cluster][0] > 0) {
                    context.write(new IntWritable(cluster), new Text(text(sums[cluster])));
                }
            }
        }
    }

    /** Emits (cluster, how many points it has, and their mean). */
    public static final class MeanReducer extends Reducer<IntWritable, Text, IntWritable, Text> {
        @Override
        protected void reduce(
                final IntWritable cluster,
                final Iterable<Text> sums,
                final Reducer<IntWritable, Text, IntWritable, Text>.Context context)
                throws IOException, InterruptedException {
            final long[] sum = new long[DIMENSIONS + 1];
            for (final Text part : sums) {
                final long[] numbers = numbers(part.toString());
                Arrays.setAll(sum, index -> sum[index] + numbers[index]);
            }
            for (int dimension = 1; dimension <= DIMENSIONS; dimension++) {
                sum[dimension] = Math.floorDiv(sum[dimension], sum[0]);
            }
            context.write(cluster, new Text(text(sum)));
        }
    }

    /** The first points of the input, in the order of its files. */
    private List<String> firstCentroids(final TextFolder in) throws IOException {
        final int clusters = getConf().getInt(CLUSTERS, DEFAULT_CLUSTERS);
        final List<String> centroids = new ArrayList<>();
        in.forEach(
                (file, line) -> {
                    if (centroids.size() < clusters) {
                        centroids.add(line);
                    }
                });
        return centroids;
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final List<String> centroids = firstCentroids(new TextFolder(getConf(), in));
        final int iterations = iterations(ITERATIONS);
        for (int iteration = 1; iteration <= iterations; iteration++) {
            final boolean isLast = iteration == iterations;
            final Path means = isLast ? out : between(out);
            final Job job = job("iteration " + iteration, in, means);
            job.getConfiguration().set(CENTROIDS, String.join(";", centroids));
            job.setMapperClass(SumMapper.class);
            job.setReducerClass(MeanReducer.class);
            job.setOutputKeyClass(IntWritable.class);
            finish(job);
            if (!isLast) {
                new TextFolder(getConf(), means).forEach((file, line) -> replace(centroids, line));
                delete(means);
            }
        }
    }

    private static void replace(final List<String> centroids, final String line) {
        final int tab = line.indexOf('\t');
        centroids.set(
                Integer.parseInt(line.substring(0, tab)),
                line.substring(line.indexOf(' ', tab) + 1));
    }

    /** Keys are numbers. */
    @Override
    boolean isSortedByText() {
        return false;
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final List<String> centroids = firstCentroids(in);
        final int iterations = iterations(ITERATIONS);
        for (int iteration = 1; iteration <= iterations; iteration++) {
            final Lloyd step = new Lloyd(centroids.stream().map(KMeans::numbers).toList());
            in.forEach((file, line) -> step.add(numbers(line)));
            final List<String> means = step.means();
            if (iteration == iterations) {
                means.forEach(expected);
            }
            means.forEach(mean -> replace(centroids, mean));
        }
    }

    /** A step of Lloyd's algorithm, as its textbook has it. */
    private static final class Lloyd {
        private final List<long[]> centroids;
        private final long[] points;
        private final long[][] sums;

        Lloyd(final List<long[]> centroids) {
            this.centroids = centroids;
            this.points = new long[centroids.size()];
            this.sums = new long[centroids.size()][DIMENSIONS];
        }

        void add(final long[] point) {
            int best = 0;
            for (int cluster = 1; cluster < centroids.size(); cluster++) {
                if (distance(cluster, point) < distance(best, point)) {
                    best = cluster;
                }
            }
            points[best]++;
            for (int i = 0; i < DIMENSIONS; i++) {
                sums[best][i] += point[i];
            }
        }

        private long distance(final int cluster, final long[] point) {
            long sum = 0;
            for (int i = 0; i < DIMENSIONS; i++) {
                sum +=
                        (point[i] - centroids.get(cluster)[i])
                                * (point[i] - centroids.get(cluster)[i]);
            }
            return sum;
        }

        List<String> means() {
            final List<String> lines = new ArrayList<>();
            for (int cluster = 0; cluster < points.length; cluster++) {
                if (points[cluster] > 0) {
                    final StringBuilder line =
                            new StringBuilder()
                                    .append(cluster)
                                    .append('\t')
                                    .append(points[cluster]);
                    for (final long sum : sums[cluster]) {
                        line.append(' ').append(Math.floorDiv(sum, points[cluster]));
                    }
                    lines.add(line.toString());
                }
            }
            return lines;
        }
    }
}
