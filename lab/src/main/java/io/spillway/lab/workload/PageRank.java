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
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;

/**
 * HiBench's PageRank, as PEGASUS computes it: two jobs an iteration ({@code
 * spillway.bench.pagerank.iterations}). The first joins each page's rank with its links and gives a
 * part of it to each page they lead to; the second adds up what a page is given. There is no
 * combiner. Ranks are whole billionths of the mean rank, so that sums are the same in any order.
 *
 * <p>The input has a line for each page, {@code page TAB v}, and one for each link, {@code page TAB
 * page}.
 */
public final class PageRank extends SuiteProgram {
    private static final String FIRST = "spillway.bench.pagerank.first";
    private static final int ITERATIONS = 3;
    private static final long ONE = 1_000_000_000;
    private static final int LINKS = 40;
    private static final int LINK_DEVIATION = 4;
    private static final int LINE = 14;
    private static final String RANK = "v";
    private static final String SELF = "s";

    /** How far the ranks still move. */
    enum Progress {
        /** Pages whose rank has changed by more than a millionth of the mean. */
        MOVED_PAGES
    }

    /** Targets have a density that falls with the root of their number, as HiBench's. */
    @Override
    void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        final SplittableRandom random = share.random(seed());
        final int pages = (int) Math.max(2, share.bytes() / (LINE * (LINKS + 1)));
        final long first = share.first(pages);
        for (long page = first; page < first + share.count(pages); page++) {
            out.add(page + "\t" + RANK);
            final long links = Math.round(LINKS + LINK_DEVIATION * random.nextGaussian());
            for (long link = 0; link < links; link++) {
                final double root = random.nextDouble();
                out.add(page + "\t" + (int) (root * root * pages));
            }
        }
    }

    /** Emits lines by page; ranks of the input only before the first iteration. */
    public static final class PageMapper extends Mapper<LongWritable, Text, IntWritable, Text> {
        private final IntWritable page = new IntWritable();
        private final Text rest = new Text();
        private boolean isFirst;

        @Override
        protected void setup(final Mapper<LongWritable, Text, IntWritable, Text>.Context context) {
            isFirst = context.getConfiguration().getBoolean(FIRST, true);
        }

        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, IntWritable, Text>.Context context)
                throws IOException, InterruptedException {
            final String text = line.toString();
            final int tab = text.indexOf('\t');
            final String value = text.substring(tab + 1);
            final boolean isInitial = value.equals(RANK);
            page.set(Integer.parseInt(text.substring(0, tab)));
            rest.set(isInitial ? RANK + ONE : value);
            if (isFirst || !isInitial) {
                context.write(page, rest);
            }
        }
    }

    /** Emits a page's rank to itself, and a part of it to each page that it links to. */
    public static final class GiveReducer extends Reducer<IntWritable, Text, IntWritable, Text> {
        @Override
        protected void reduce(
                final IntWritable page,
                final Iterable<Text> values,
                final Reducer<IntWritable, Text, IntWritable, Text>.Context context)
                throws IOException, InterruptedException {
            final List<Integer> links = new ArrayList<>();
            long rank = 0;
            for (final Text value : values) {
                final String text = value.toString();
                if (text.startsWith(RANK)) {
                    rank = Long.parseLong(text.substring(1));
                } else {
                    links.add(Integer.valueOf(text));
                }
            }
            context.write(page, new Text(SELF + rank));
            final Text part = new Text(RANK + rank / Math.max(1, links.size()));
            for (final int link : links) {
                context.write(new IntWritable(link), part);
            }
        }
    }

    /** Emits the new rank of a page. */
    public static final class TakeReducer extends Reducer<IntWritable, Text, IntWritable, Text> {
        @Override
        protected void reduce(
                final IntWritable page,
                final Iterable<Text> values,
                final Reducer<IntWritable, Text, IntWritable, Text>.Context context)
                throws IOException, InterruptedException {
            long before = 0;
            long given = 0;
            for (final Text value : values) {
                final long rank = Long.parseLong(value.toString().substring(1));
                if (value.charAt(0) == SELF.charAt(0)) {
                    before = rank;
                } else {
                    given += rank;
                }
            }
            final long rank = damped(given);
            if (Math.abs(rank - before) > ONE / 1_000_000) {
                context.getCounter(Progress.MOVED_PAGES).increment(1);
            }
            context.write(page, new Text(RANK + rank));
        }
    }

    private static long damped(final long given) {
        return ONE * 15 / 100 + given / 100 * 85;
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Path between = between(out);
        final int iterations = iterations(ITERATIONS);
        Path ranks = null;
        for (int iteration = 1; iteration <= iterations; iteration++) {
            final Path given = new Path(between, "given-" + iteration);
            final Path next =
                    iteration == iterations ? out : new Path(between, "ranks-" + iteration);
            final Job give = pages("give " + iteration, in, given, GiveReducer.class);
            if (ranks != null) {
                give.getConfiguration().setBoolean(FIRST, false);
                FileInputFormat.addInputPath(give, ranks);
            }
            finish(give);
            final Job take = pages("take " + iteration, given, next, TakeReducer.class);
            finish(take);
            System.out.println(
                    "iteration "
                            + iteration
                            + ": "
                            + take.getCounters().findCounter(Progress.MOVED_PAGES).getValue()
                            + " ranks have moved");
            delete(given);
            ranks = next;
        }
        delete(between);
    }

    private Job pages(
            final String what,
            final Path in,
            final Path out,
            final Class<? extends Reducer<IntWritable, Text, IntWritable, Text>> reducer)
            throws IOException {
        final Job job = job(what, in, out);
        job.setMapperClass(PageMapper.class);
        job.setReducerClass(reducer);
        job.setOutputKeyClass(IntWritable.class);
        return job;
    }

    /** Keys are numbers. */
    @Override
    boolean isSortedByText() {
        return false;
    }

    /** Page after page pushes its rank along its links, in arrays. */
    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        final Degrees degrees = new Degrees();
        in.forEach((file, line) -> degrees.count(line));
        long[] ranks = new long[degrees.pages];
        Arrays.fill(ranks, ONE);
        final int iterations = iterations(ITERATIONS);
        for (int iteration = 1; iteration <= iterations; iteration++) {
            final long[] before = ranks;
            final long[] given = new long[before.length];
            in.forEach(
                    (file, line) -> {
                        final int tab = line.indexOf('\t');
                        if (line.charAt(tab + 1) != RANK.charAt(0)) {
                            final int page = Integer.parseInt(line.substring(0, tab));
                            given[Integer.parseInt(line.substring(tab + 1))] +=
                                    before[page] / degrees.links[page];
                        }
                    });
            ranks = Arrays.stream(given).map(PageRank::damped).toArray();
        }
        for (int page = 0; page < ranks.length; page++) {
            expected.accept(page + "\t" + RANK + ranks[page]);
        }
    }

    private static final class Degrees {
        private int[] links = new int[1 << 10];
        private int pages;

        void count(final String line) {
            final int tab = line.indexOf('\t');
            final int page = Integer.parseInt(line.substring(0, tab));
            if (page >= links.length) {
                links = Arrays.copyOf(links, 2 * Math.max(links.length, page));
            }
            pages = Math.max(pages, page + 1);
            if (line.charAt(tab + 1) != RANK.charAt(0)) {
                links[page]++;
            }
        }
    }
}
