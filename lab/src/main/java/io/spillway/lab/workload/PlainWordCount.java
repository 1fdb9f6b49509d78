// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;

/** HiBench's WordCount, without its combiner: each word of the input is shuffled. */
final class PlainWordCount extends TextProgram {
    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("count", in, out);
        job.setMapperClass(TokenCounterMapper.class);
        job.setReducerClass(IntSumReducer.class);
        job.setOutputValueClass(IntWritable.class);
        finish(job);
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final Map<String, Integer> counts = new HashMap<>();
        in.forEach(
                (file, line) -> {
                    final StringTokenizer words = new StringTokenizer(line);
                    while (words.hasMoreTokens()) {
                        counts.merge(words.nextToken(), 1, Integer::sum);
                    }
                });
        counts.forEach((word, count) -> expected.accept(word + "\t" + count));
    }
}
