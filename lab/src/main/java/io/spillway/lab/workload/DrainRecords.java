// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;

/**
 * Writes input for TeraSort whose reducers drain one map output after the other: the worst case for
 * a merge that gives each map output the same memory. Records are laid out as TeraGen's (100 bytes,
 * keys of 10), files are of the same size, and each run writes the same. The order of keys within a
 * file is random; which keys a file holds is up to {@link DrainKeys}. TeraSort has to run with
 * {@code mapreduce.terasort.simplepartitioner=true} and as many reduces as are named here.
 */
public final class DrainRecords extends Configured implements Tool {
    private static final String ROWS = "spillway.bench.drain.rows";
    private static final String REDUCES = "spillway.bench.drain.reduces";
    private static final int RECORD = 100;

    /** Writes a file's rows. */
    public static final class RowMapper
            extends Mapper<LongWritable, NullWritable, NullWritable, BytesWritable> {
        private static final int ROWS_A_PROGRESS = 10_000;
        private static final int ROW_NUMBER = DrainKeys.KEY + 2;
        private static final int MARK = ROW_NUMBER + 32;
        private static final int FILLER = MARK + 4;
        private static final int END = RECORD - 4;

        private final BytesWritable record = new BytesWritable();

        @Override
        protected void map(
                final LongWritable number, final NullWritable nothing, final Context context)
                throws IOException, InterruptedException {
            final Configuration conf = context.getConfiguration();
            final int file = (int) number.get();
            final long rows = conf.getLong(ROWS, 0);
            final DrainKeys keys = new DrainKeys(SeedFormat.files(conf), conf.getInt(REDUCES, 1));
            final SplittableRandom random = new SplittableRandom(file);
            record.setSize(RECORD);
            for (long row = 0; row < rows; row++) {
                final int partition = (int) (row % keys.partitions());
                final long head =
                        keys.first(partition, file) + random.nextLong(keys.width(partition));
                fill(record.getBytes(), head, random.nextLong(), file * rows + row);
                context.write(NullWritable.get(), record);
                if (row % ROWS_A_PROGRESS == 0) {
                    context.progress();
                }
            }
        }

        /** A row as TeraGen's: a break, the row's number, and a filler of random letters. */
        private static void fill(
                final byte[] target, final long head, final long random, final long row) {
            DrainKeys.write(target, head, random);
            put(target, DrainKeys.KEY, 0x00, 0x11);
            for (int index = MARK - 1, shift = 0; index >= ROW_NUMBER; index--, shift += 4) {
                final int digit = shift < Long.SIZE ? (int) (row >>> shift) & 0xF : 0;
                target[index] = (byte) "0123456789ABCDEF".charAt(digit);
            }
            put(target, MARK, 0x88, 0x99, 0xAA, 0xBB);
            for (int index = FILLER; index < END; index += 4) {
                final int letter = 'A' + (int) ((random >>> (index - FILLER)) & 0xF);
                Arrays.fill(target, index, index + 4, (byte) letter);
            }
            put(target, END, 0xCC, 0xDD, 0xEE, 0xFF);
        }

        private static void put(final byte[] target, final int start, final int... bytes) {
            for (int index = 0; index < bytes.length; index++) {
                target[start + index] = (byte) bytes[index];
            }
        }
    }

    /** Records one after the other, without lengths: what TeraSort reads. */
    public static final class RawFormat extends FileOutputFormat<NullWritable, BytesWritable> {
        @Override
        public RecordWriter<NullWritable, BytesWritable> getRecordWriter(
                final TaskAttemptContext context) throws IOException {
            final Path file = getDefaultWorkFile(context, "");
            return new RawWriter(
                    file.getFileSystem(context.getConfiguration()).create(file, false));
        }
    }

    private static final class RawWriter extends RecordWriter<NullWritable, BytesWritable> {
        private final DataOutputStream out;

        RawWriter(final DataOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(final NullWritable nothing, final BytesWritable record)
                throws IOException {
            out.write(record.getBytes(), 0, record.getLength());
        }

        @Override
        public void close(final TaskAttemptContext context) throws IOException {
            out.close();
        }
    }

    @Override
    public int run(final String[] arguments) throws Exception {
        if (arguments.length != 4) {
            System.err.println("drain-records OUT BYTES FILES REDUCES");
            return 2;
        }
        final int files = Integer.parseInt(arguments[2]);
        final int reduces = Integer.parseInt(arguments[3]);
        final int partitions = new DrainKeys(files, reduces).partitions();
        final long rows = Long.parseLong(arguments[1]) / RECORD / files;
        if (rows < partitions) {
            System.err.printf(
                    "BYTES %s: expected at least %d, a record of each reducer in each file%n",
                    arguments[1], (long) RECORD * files * partitions);
            return 2;
        }
        getConf().setLong(ROWS, rows);
        getConf().setInt(REDUCES, reduces);
        SeedFormat.setFiles(getConf(), files);
        final Job job = Job.getInstance(getConf(), "drain records");
        job.setJarByClass(DrainRecords.class);
        job.setInputFormatClass(SeedFormat.class);
        job.setMapperClass(RowMapper.class);
        job.setNumReduceTasks(0);
        job.setOutputFormatClass(RawFormat.class);
        job.setOutputKeyClass(NullWritable.class);
        job.setOutputValueClass(BytesWritable.class);
        FileOutputFormat.setOutputPath(job, new Path(arguments[0]));
        return job.waitForCompletion(true) ? 0 : 1;
    }
}
