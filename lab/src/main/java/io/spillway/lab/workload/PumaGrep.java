// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.InverseMapper;
import org.apache.hadoop.mapreduce.lib.map.RegexMapper;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/**
 * PUMA's Grep: counts what matches a regular expression ({@code spillway.bench.grep.pattern}), with
 * a combiner; a second job sorts the matches by falling count, in one reducer.
 */
final class PumaGrep extends TextProgram {
    private static final String PATTERN = "spillway.bench.grep.pattern";
    private static final String DEFAULT = "\\b[bk]a[a-z]*";

    private String pattern() {
        return getConf().get(PATTERN, DEFAULT);
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Path counts = between(out);
        final Job search = job("search", in, counts);
        search.getConfiguration().set(RegexMapper.PATTERN, pattern());
        search.setMapperClass(RegexMapper.class);
        search.setCombinerClass(LongSumReducer.class);
        search.setReducerClass(LongSumReducer.class);
        search.setOutputFormatClass(SequenceFileOutputFormat.class);
        search.setOutputValueClass(LongWritable.class);
        finish(search);
        final Job sort = job("sort", counts, out);
        sort.setInputFormatClass(SequenceFileInputFormat.class);
        sort.setMapperClass(InverseMapper.class);
        sort.setSortComparatorClass(LongWritable.DecreasingComparator.class);
        sort.setNumReduceTasks(1);
        sort.setOutputKeyClass(LongWritable.class);
        sort.setOutputValueClass(Text.class);
        finish(sort);
        delete(counts);
    }

    /** Keys fall, and are numbers. */
    @Override
    boolean isSortedByText() {
        return false;
    }

    @Override
    void inspect(final TextFolder out) throws IOException {
        final FallingCounts counts = new FallingCounts();
        out.forEach(
                (file, line) -> {
                    final String count = line.substring(0, line.indexOf('\t'));
                    counts.add(file, Long.parseLong(count), line);
                });
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final Pattern pattern = Pattern.compile(pattern());
        final Map<String, Long> counts = new HashMap<>();
        in.forEach(
                (file, line) -> {
                    final Matcher matcher = pattern.matcher(line);
                    while (matcher.find()) {
                        counts.merge(matcher.group(), 1L, Long::sum);
                    }
                });
        counts.forEach((match, count) -> expected.accept(count + "\t" + match));
    }
}
