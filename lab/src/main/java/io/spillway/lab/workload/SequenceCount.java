// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.apache.hadoop.util.Tool;

/**
 * How often any three words follow each other in a document, as in the PUMA suite: a document is an
 * input file, and keys are {@code first|second|third|document}. There are more keys than words and
 * they are longer, so that the combiner helps less than in {@link InvertedIndex}. Three words are
 * of one line, so that the output is the same however a document is split.
 */
public final class SequenceCount extends Configured implements Tool {
    private static final int WORDS = 3;

    /** Emits (three words and document, 1). */
    public static final class SequenceMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
        private static final byte[] SEPARATOR = {'|'};

        private final IntWritable one = new IntWritable(1);
        private final Text sequence = new Text();
        private final Words words = new Words();

        /** The places of the last words of the line, in turns. */
        private final int[] starts = new int[WORDS];

        private final int[] ends = new int[WORDS];
        private byte[] document;

        @Override
        protected void setup(final Context context) {
            final String name = ((FileSplit) context.getInputSplit()).getPath().getName();
            document = name.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        protected void map(final LongWritable offset, final Text line, final Context context)
                throws IOException, InterruptedException {
            words.read(line);
            for (int count = 0; words.next(); ) {
                starts[count % WORDS] = words.start();
                ends[count % WORDS] = words.end();
                count++;
                if (count >= WORDS) {
                    gather(line.getBytes(), count);
                    context.write(sequence, one);
                }
            }
        }

        private void gather(final byte[] line, final int count) {
            sequence.clear();
            for (int i = count; i < count + WORDS; i++) {
                final int start = starts[i % WORDS];
                sequence.append(line, start, ends[i % WORDS] - start);
                sequence.append(SEPARATOR, 0, SEPARATOR.length);
            }
            sequence.append(document, 0, document.length);
        }
    }

    @Override
    public int run(final String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("sequence-count IN OUT");
            return 2;
        }
        final Job job = Job.getInstance(getConf(), "sequence count");
        job.setJarByClass(SequenceCount.class);
        job.setMapperClass(SequenceMapper.class);
        job.setCombinerClass(IntSumReducer.class);
        job.setReducerClass(IntSumReducer.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(IntWritable.class);
        FileInputFormat.setInputPaths(job, new Path(arguments[0]));
        FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
        return job.waitForCompletion(true) ? 0 : 1;
    }
}
