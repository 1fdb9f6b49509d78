// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;

/**
 * Reads and writes the same records without a shuffle: the floor under any job on the same data.
 * Formats and record classes come by their Hadoop properties, for example {@code
 * -Dmapreduce.job.inputformat.class=...}; and so may the mapper, which is the identity otherwise.
 */
public final class CopyJob extends Configured implements Tool {
    /** Drops the offsets of lines, which are not part of a text. */
    public static final class LineMapper extends Mapper<LongWritable, Text, NullWritable, Text> {
        @Override
        protected void map(final LongWritable offset, final Text line, final Context context)
                throws IOException, InterruptedException {
            context.write(NullWritable.get(), line);
        }
    }

    @Override
    public int run(final String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("copy IN OUT");
            return 2;
        }
        final Job job = Job.getInstance(getConf(), "copy without shuffle");
        job.setJarByClass(CopyJob.class);
        job.setNumReduceTasks(0);
        FileInputFormat.setInputPaths(job, new Path(arguments[0]));
        FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
        return job.waitForCompletion(true) ? 0 : 1;
    }
}
