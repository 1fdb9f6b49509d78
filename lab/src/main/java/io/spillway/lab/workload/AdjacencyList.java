// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * PUMA's AdjacencyList: of edges {@code from,to}, with repeated ones among them, for each vertex
 * the vertices before and behind it, once and in order. Each edge is shuffled twice. Some vertices
 * are behind very many edges: their numbers have a density that falls with the root.
 */
public final class AdjacencyList extends SuiteProgram {
    private static final int BYTES_A_VERTEX = 150;
    private static final int ONE_REPEATED_OF = 20;

    @Override
    void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        final SplittableRandom random = share.random(seed());
        final long vertices = Math.max(10, share.bytes() / BYTES_A_VERTEX);
        String edge = "v0,v1";
        while (!out.isFull()) {
            if (random.nextInt(ONE_REPEATED_OF) > 0) {
                final double root = random.nextDouble();
                edge = "v" + random.nextLong(vertices) + ",v" + (long) (root * root * vertices);
            }
            out.add(edge);
        }
    }

    /** The vertices on either side of one. */
    private static final class Neighbours {
        private static final String FROM = "from{";
        private static final String TO = "}:to{";

        private final TreeSet<String> before = new TreeSet<>();
        private final TreeSet<String> behind = new TreeSet<>();

        void addAll(final String text) {
            final int middle = text.indexOf(TO);
            add(before, text.substring(FROM.length(), middle));
            add(behind, text.substring(middle + TO.length(), text.length() - 1));
        }

        private static void add(final Set<String> vertices, final String list) {
            for (int start = 0; start < list.length(); ) {
                final int comma = list.indexOf(',', start);
                final int end = comma < 0 ? list.length() : comma;
                vertices.add(list.substring(start, end));
                start = end + 1;
            }
        }

        @Override
        public String toString() {
            return FROM + String.join(",", before) + TO + String.join(",", behind) + "}";
        }
    }

    /** Emits an edge at both of its vertices. */
    public static final class EdgeMapper extends Mapper<LongWritable, Text, Text, Text> {
        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final String edge = line.toString();
            final int comma = edge.lastIndexOf(',');
            final String from = edge.substring(0, comma);
            final String to = edge.substring(comma + 1);
            context.write(new Text(from), new Text("from{}:to{" + to + "}"));
            context.write(new Text(to), new Text("from{" + from + "}:to{}"));
        }
    }

    /** Joins lists of one vertex; combiner and reducer alike. */
    public static final class JoinReducer extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(
                final Text vertex,
                final Iterable<Text> lists,
                final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final Neighbours neighbours = new Neighbours();
            for (final Text list : lists) {
                neighbours.addAll(list.toString());
            }
            context.write(vertex, new Text(neighbours.toString()));
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("lists", in, out);
        job.setMapperClass(EdgeMapper.class);
        job.setCombinerClass(JoinReducer.class);
        job.setReducerClass(JoinReducer.class);
        finish(job);
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        for (final KeyShare keys : KeyShare.of(in.bytes())) {
            recompute(in, keys, expected);
        }
    }

    private static void recompute(
            final TextFolder in, final KeyShare keys, final Consumer<String> expected)
            throws IOException {
        final Map<String, Neighbours> vertices = new HashMap<>();
        in.forEach(
                (file, line) -> {
                    final String[] edge = line.split(",", -1);
                    if (keys.has(edge[0])) {
                        vertices.computeIfAbsent(edge[0], key -> new Neighbours())
                                .behind
                                .add(edge[1]);
                    }
                    if (keys.has(edge[1])) {
                        vertices.computeIfAbsent(edge[1], key -> new Neighbours())
                                .before
                                .add(edge[0]);
                    }
                });
        vertices.forEach((vertex, lists) -> expected.accept(vertex + "\t" + lists));
    }
}
