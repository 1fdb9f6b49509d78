// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * PUMA's TermVector: for each host, which is an input file, its words that stand there ten times or
 * more, most frequent ones first. There are as few keys as files, and a value is a word with its
 * count, so that a reducer has much or nothing.
 */
public final class TermVector extends TextProgram {
    private static final int FEWEST = 10;
    private static final char COLON = ':';

    /** Emits (host, word:1) for every word. */
    public static final class TermMapper extends DocumentMapper {
        private static final byte[] ONE = {COLON, '1'};

        @Override
        void emit(
                final Text host,
                final Text word,
                final Mapper<LongWritable, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            word.append(ONE, 0, ONE.length);
            context.write(host, word);
        }
    }

    private static Map<String, Integer> sum(final Iterable<Text> terms) {
        final Map<String, Integer> counts = new HashMap<>();
        for (final Text value : terms) {
            final String term = value.toString();
            final int colon = term.lastIndexOf(COLON);
            final int count = Integer.parseInt(term.substring(colon + 1));
            counts.merge(term.substring(0, colon), count, Integer::sum);
        }
        return counts;
    }

    /** Adds up the counts of each word. */
    public static final class TermCombiner extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(
                final Text host,
                final Iterable<Text> terms,
                final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            for (final Map.Entry<String, Integer> term : sum(terms).entrySet()) {
                context.write(host, new Text(term.getKey() + COLON + term.getValue()));
            }
        }
    }

    /** Emits the vector of a host. */
    public static final class VectorReducer extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(
                final Text host,
                final Iterable<Text> terms,
                final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            context.write(host, new Text(vector(sum(terms))));
        }
    }

    private static String vector(final Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .filter(term -> term.getValue() >= FEWEST)
                .sorted(
                        Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                                .thenComparing(Map.Entry.comparingByKey()))
                .map(term -> term.getKey() + COLON + term.getValue())
                .collect(Collectors.joining(" "));
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("vectors", in, out);
        job.setMapperClass(TermMapper.class);
        job.setCombinerClass(TermCombiner.class);
        job.setReducerClass(VectorReducer.class);
        finish(job);
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        for (final KeyShare keys : KeyShare.of(in.bytes() / 4)) {
            recompute(in, keys, expected);
        }
    }

    private static void recompute(
            final TextFolder in, final KeyShare keys, final Consumer<String> expected)
            throws IOException {
        final Map<String, Map<String, Integer>> hosts = new HashMap<>();
        in.forEach(
                (file, line) -> {
                    if (!keys.has(file)) {
                        return;
                    }
                    final Map<String, Integer> counts =
                            hosts.computeIfAbsent(file, name -> new HashMap<>());
                    for (final String word : line.split(" ", -1)) {
                        counts.merge(word, 1, Integer::sum);
                    }
                });
        hosts.forEach((host, counts) -> expected.accept(host + "\t" + vector(counts)));
    }
}
