// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** One split a file to write; its only record is the file's number. */
public final class SeedFormat extends InputFormat<LongWritable, NullWritable> {
    private static final String FILES = "spillway.bench.files";

    static void setFiles(final Configuration conf, final int files) {
        conf.setInt(FILES, files);
    }

    static int files(final Configuration conf) {
        return conf.getInt(FILES, 1);
    }

    @Override
    public List<InputSplit> getSplits(final JobContext context) {
        final int files = files(context.getConfiguration());
        final List<InputSplit> splits = new ArrayList<>();
        for (int file = 0; file < files; file++) {
            splits.add(new SeedSplit(file));
        }
        return splits;
    }

    @Override
    public RecordReader<LongWritable, NullWritable> createRecordReader(
            final InputSplit split, final TaskAttemptContext context) {
        return new SeedReader();
    }

    /** The number of a file. */
    public static final class SeedSplit extends InputSplit implements Writable {
        private long seed;

        /** For deserialization. */
        public SeedSplit() {}

        SeedSplit(final long seed) {
            this.seed = seed;
        }

        @Override
        public long getLength() {
            return 1;
        }

        @Override
        public String[] getLocations() {
            return new String[0];
        }

        @Override
        public void write(final DataOutput out) throws IOException {
            out.writeLong(seed);
        }

        @Override
        public void readFields(final DataInput in) throws IOException {
            seed = in.readLong();
        }
    }

    private static final class SeedReader extends RecordReader<LongWritable, NullWritable> {
        private final LongWritable seed = new LongWritable();
        private boolean isRead;

        @Override
        public void initialize(final InputSplit split, final TaskAttemptContext context) {
            seed.set(((SeedSplit) split).seed);
        }

        @Override
        public boolean nextKeyValue() {
            final boolean isNew = !isRead;
            isRead = true;
            return isNew;
        }

        @Override
        public LongWritable getCurrentKey() {
            return seed;
        }

        @Override
        public NullWritable getCurrentValue() {
            return NullWritable.get();
        }

        @Override
        public float getProgress() {
            return isRead ? 1 : 0;
        }

        @Override
        public void close() {}
    }
}
