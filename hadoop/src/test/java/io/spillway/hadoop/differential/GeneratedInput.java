// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** Input without files: (map number, record number) pairs, as many as the job's spec says. */
final class GeneratedInput {
    private GeneratedInput() {}

    /** One map's share. */
    public static final class Split extends org.apache.hadoop.mapreduce.InputSplit
            implements org.apache.hadoop.mapred.InputSplit {
        private int map;
        private int records;

        /** Called by Hadoop. */
        public Split() {}

        Split(final int map, final int records) {
            this.map = map;
            this.records = records;
        }

        @Override
        public long getLength() {
            return records;
        }

        @Override
        public String[] getLocations() {
            return new String[0];
        }

        @Override
        public void write(final DataOutput out) throws IOException {
            out.writeInt(map);
            out.writeInt(records);
        }

        @Override
        public void readFields(final DataInput in) throws IOException {
            map = in.readInt();
            records = in.readInt();
        }
    }

    private static List<Split> splits(final org.apache.hadoop.conf.Configuration conf) {
        final List<Split> splits = new ArrayList<>();
        for (int map = 0; map < JobSpec.maps(conf); map++) {
            splits.add(new Split(map, JobSpec.recordsPerMap(conf)));
        }
        return splits;
    }

    /** For the new API. */
    public static final class NewFormat
            extends org.apache.hadoop.mapreduce.InputFormat<IntWritable, IntWritable> {
        @Override
        public List<org.apache.hadoop.mapreduce.InputSplit> getSplits(final JobContext context) {
            return new ArrayList<>(splits(context.getConfiguration()));
        }

        @Override
        public org.apache.hadoop.mapreduce.RecordReader<IntWritable, IntWritable>
                createRecordReader(
                        final org.apache.hadoop.mapreduce.InputSplit split,
                        final TaskAttemptContext context) {
            return new NewReader((Split) split);
        }
    }

    /** For the old API. */
    public static final class OldFormat
            implements org.apache.hadoop.mapred.InputFormat<IntWritable, IntWritable> {
        @Override
        public org.apache.hadoop.mapred.InputSplit[] getSplits(
                final JobConf job, final int numSplits) {
            return splits(job).toArray(new Split[0]);
        }

        @Override
        public org.apache.hadoop.mapred.RecordReader<IntWritable, IntWritable> getRecordReader(
                final org.apache.hadoop.mapred.InputSplit split,
                final JobConf job,
                final Reporter reporter) {
            return new OldReader((Split) split);
        }
    }

    private static final class NewReader
            extends org.apache.hadoop.mapreduce.RecordReader<IntWritable, IntWritable> {
        private final Split split;
        private int index = -1;

        NewReader(final Split split) {
            this.split = split;
        }

        @Override
        public void initialize(
                final org.apache.hadoop.mapreduce.InputSplit same,
                final TaskAttemptContext context) {
            // The constructor has done it.
        }

        @Override
        public boolean nextKeyValue() {
            return ++index < split.records;
        }

        @Override
        public IntWritable getCurrentKey() {
            return new IntWritable(split.map);
        }

        @Override
        public IntWritable getCurrentValue() {
            return new IntWritable(index);
        }

        @Override
        public float getProgress() {
            return split.records == 0 ? 1 : (float) index / split.records;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private static final class OldReader
            implements org.apache.hadoop.mapred.RecordReader<IntWritable, IntWritable> {
        private final Split split;
        private int index;

        OldReader(final Split split) {
            this.split = split;
        }

        @Override
        public boolean next(final IntWritable key, final IntWritable value) {
            if (index >= split.records) {
                return false;
            }
            key.set(split.map);
            value.set(index++);
            return true;
        }

        @Override
        public IntWritable createKey() {
            return new IntWritable();
        }

        @Override
        public IntWritable createValue() {
            return new IntWritable();
        }

        @Override
        public long getPos() {
            return index;
        }

        @Override
        public float getProgress() {
            return split.records == 0 ? 1 : (float) index / split.records;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
