// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;

/**
 * For every word the documents it stands in, as in the PUMA suite: a document is an input file, a
 * word is what stands between white space, and the combiner drops repeated documents. The output
 * has one line for each word and document, documents in order, so that it is the same whatever the
 * order of values was.
 */
public final class InvertedIndex extends Configured implements Tool {
    /** Emits (word, document) for every word. */
    public static final class WordMapper extends DocumentMapper {
        @Override
        void emit(
                final Text document,
                final Text word,
                final Mapper<LongWritable, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            context.write(word, document);
        }
    }

    /** Emits each document of a word once, in order; combiner and reducer alike. */
    public static final class DocumentReducer extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(
                final Text word,
                final Iterable<Text> documents,
                final Reducer<Text, Text, Text, Text>.Context context)
                throws IOException, InterruptedException {
            final TreeSet<Text> distinct = new TreeSet<>();
            for (final Text document : documents) {
                if (!distinct.contains(document)) {
                    distinct.add(new Text(document));
                }
            }
            for (final Text document : distinct) {
                context.write(word, document);
            }
        }
    }

    @Override
    public int run(final String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("inverted-index IN OUT");
            return 2;
        }
        final Job job = Job.getInstance(getConf(), "inverted index");
        job.setJarByClass(InvertedIndex.class);
        job.setMapperClass(WordMapper.class);
        job.setCombinerClass(DocumentReducer.class);
        job.setReducerClass(DocumentReducer.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        FileInputFormat.setInputPaths(job, new Path(arguments[0]));
        FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
        return job.waitForCompletion(true) ? 0 : 1;
    }
}
