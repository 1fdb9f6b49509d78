// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** The job's reducer, for both APIs; what it writes is {@link GroupRecorder}'s business. */
final class Reducers {
    private Reducers() {}

    /** For the new API. */
    public static final class NewApi
            extends org.apache.hadoop.mapreduce.Reducer<
                    Object, Object, BytesWritable, BytesWritable> {
        private GroupRecorder recorder;

        @Override
        protected void setup(final Context context) {
            recorder = new GroupRecorder(context.getConfiguration());
        }

        @Override
        public void run(final Context context) throws IOException, InterruptedException {
            setup(context);
            while (!recorder.done() && context.nextKey()) {
                reduce(context.getCurrentKey(), context.getValues(), context);
            }
            cleanup(context);
        }

        @Override
        protected void reduce(
                final Object key, final Iterable<Object> values, final Context context)
                throws IOException, InterruptedException {
            recorder.reduce(key, values.iterator(), context::write);
        }
    }

    /** For the old API. */
    public static final class OldApi extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<
                    Object, Object, BytesWritable, BytesWritable> {
        private GroupRecorder recorder;

        @Override
        public void configure(final JobConf job) {
            recorder = new GroupRecorder(job);
        }

        @Override
        public void reduce(
                final Object key,
                final Iterator<Object> values,
                final OutputCollector<BytesWritable, BytesWritable> output,
                final Reporter reporter)
                throws IOException {
            try {
                recorder.reduce(key, values, output::collect);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
    }
}
