// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** Emits a record for every word of a document, which is an input file. */
abstract class DocumentMapper extends Mapper<LongWritable, Text, Text, Text> {
    private final Text document = new Text();
    private final Text word = new Text();
    private final Words words = new Words();

    /** Emits the record of a word; it may change the word. */
    abstract void emit(Text document, Text word, Context context)
            throws IOException, InterruptedException;

    @Override
    protected void setup(final Context context) {
        document.set(((FileSplit) context.getInputSplit()).getPath().getName());
    }

    @Override
    protected void map(final LongWritable offset, final Text line, final Context context)
            throws IOException, InterruptedException {
        words.read(line);
        while (words.next()) {
            words.copyTo(word);
            emit(document, word, context);
        }
    }
}
