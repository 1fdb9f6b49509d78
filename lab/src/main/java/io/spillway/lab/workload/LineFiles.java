// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.util.ReflectionUtils;

/** Writes a workload's input by a job of maps alone: one a file. */
public final class LineFiles {
    private static final String PROGRAM = "spillway.bench.program";
    private static final String BYTES = "spillway.bench.bytes";

    private LineFiles() {}

    static void make(final SuiteProgram program, final Path out, final long bytes, final int files)
            throws Exception {
        final Job job = program.job("data", null, out);
        job.getConfiguration().setClass(PROGRAM, program.getClass(), SuiteProgram.class);
        job.getConfiguration().setLong(BYTES, bytes);
        SeedFormat.setFiles(job.getConfiguration(), files);
        job.setInputFormatClass(SeedFormat.class);
        job.setMapperClass(FileMapper.class);
        job.setNumReduceTasks(0);
        job.setOutputKeyClass(NullWritable.class);
        SuiteProgram.finish(job);
    }

    /** Takes the lines of a file. One thread. */
    static final class Sink {
        private final Mapper<LongWritable, NullWritable, NullWritable, Text>.Context context;
        private final long most;
        private final Text line = new Text();
        private long written;

        Sink(
                final Mapper<LongWritable, NullWritable, NullWritable, Text>.Context context,
                final long most) {
            this.context = context;
            this.most = most;
        }

        /** Writes a line. */
        void add(final String text) throws IOException, InterruptedException {
            line.set(text);
            context.write(NullWritable.get(), line);
            written += line.getLength() + 1;
        }

        /** Whether the file has its share of the bytes. */
        boolean isFull() {
            return written >= most;
        }
    }

    /** Has the program write the file whose number comes. */
    public static final class FileMapper
            extends Mapper<LongWritable, NullWritable, NullWritable, Text> {
        @Override
        protected void map(
                final LongWritable file, final NullWritable nothing, final Context context)
                throws IOException, InterruptedException {
            final Configuration conf = context.getConfiguration();
            final Share share =
                    new Share((int) file.get(), SeedFormat.files(conf), conf.getLong(BYTES, 0));
            ReflectionUtils.newInstance(conf.getClass(PROGRAM, null, SuiteProgram.class), conf)
                    .write(share, new Sink(context, share.own()));
        }
    }
}
