// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * PUMA's RankedInvertedIndex: what {@link SequenceCount} has counted, by the three words, the
 * documents that have them most often first. There is no combiner, and every record of the input is
 * shuffled.
 */
public final class RankedInvertedIndex extends TextProgram {
    /** Bytes that SequenceCount makes of a byte of text, of the sizes that fit one machine. */
    private static final int GROWTH = 5;

    private static final char BAR = '|';

    /** The input is the output of a job over text. */
    @Override
    void make(final Path out, final long bytes, final int files) throws Exception {
        final Path text = between(out);
        LineFiles.make(this, text, Math.max(files, bytes / GROWTH), files);
        final SequenceCount count = new SequenceCount();
        final Configuration conf = new Configuration(getConf());
        conf.setInt("mapreduce.job.reduces", files);
        count.setConf(conf);
        if (count.run(new String[] {text.toString(), out.toString()}) != 0) {
            throw new IOException("sequence count of " + text + " failed");
        }
        delete(text);
    }

    /** How often a document has three words. */
    public static final class DocumentCount implements Writable {
        private String document = "";
        private int count;

        /** For deserialization. */
        public DocumentCount() {}

        DocumentCount(final String document, final int count) {
            this.document = document;
            this.count = count;
        }

        @Override
        public void write(final DataOutput out) throws IOException {
            Text.writeString(out, document);
            out.writeInt(count);
        }

        @Override
        public void readFields(final DataInput in) throws IOException {
            document = Text.readString(in);
            count = in.readInt();
        }
    }

    /** Emits (three words, document and count) for every line of the input. */
    public static final class CountMapper extends Mapper<LongWritable, Text, Text, DocumentCount> {
        private final Text words = new Text();

        @Override
        protected void map(
                final LongWritable offset,
                final Text line,
                final Mapper<LongWritable, Text, Text, DocumentCount>.Context context)
                throws IOException, InterruptedException {
            final String text = line.toString();
            final int tab = text.lastIndexOf('\t');
            final int bar = text.lastIndexOf(BAR, tab);
            words.set(text.substring(0, bar));
            final int count = Integer.parseInt(text.substring(tab + 1));
            context.write(words, new DocumentCount(text.substring(bar + 1, tab), count));
        }
    }

    /** Emits the documents of three words, most first. */
    public static final class RankReducer extends Reducer<Text, DocumentCount, Text, Text> {
        private static final Comparator<DocumentCount> MOST_FIRST =
                Comparator.<DocumentCount>comparingInt(one -> one.count)
                        .reversed()
                        .thenComparing(one -> one.document);

        @Override
        protected void reduce(
                final Text words,
                final Iterable<DocumentCount> counts,
                final Reducer<Text, DocumentCount, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final List<DocumentCount> ranked = new ArrayList<>();
            for (final DocumentCount one : counts) {
                ranked.add(new DocumentCount(one.document, one.count));
            }
            ranked.sort(MOST_FIRST);
            for (final DocumentCount one : ranked) {
                context.write(words, new Text(one.count + "|" + one.document));
            }
        }
    }

    @Override
    void runJobs(final Path in, final Path out) throws Exception {
        final Job job = job("rank", in, out);
        job.setMapperClass(CountMapper.class);
        job.setReducerClass(RankReducer.class);
        job.setMapOutputValueClass(DocumentCount.class);
        finish(job);
    }

    @Override
    void inspect(final TextFolder out) throws IOException {
        final FallingCounts counts = new FallingCounts();
        out.forEach(
                (file, line) -> {
                    final int tab = line.indexOf('\t');
                    final String count = line.substring(tab + 1, line.indexOf(BAR, tab));
                    counts.add(line.substring(0, tab), Long.parseLong(count), line);
                });
    }

    @Override
    void recompute(final TextFolder in, final Consumer<String> expected) throws IOException {
        in.forEach(
                (file, line) -> {
                    final int tab = line.lastIndexOf('\t');
                    final int bar = line.lastIndexOf(BAR, tab);
                    expected.accept(
                            line.substring(0, bar)
                                    + line.substring(tab)
                                    + line.substring(bar, tab));
                });
    }
}
