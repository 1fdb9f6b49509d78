// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** The job's mapper, for both APIs; what it emits is {@link RecordEmitter}'s business. */
final class Mappers {
    private Mappers() {}

    /** For the new API. */
    public static final class NewApi
            extends org.apache.hadoop.mapreduce.Mapper<IntWritable, IntWritable, Object, Object> {
        private RecordEmitter emitter;

        @Override
        protected void setup(final Context context) {
            emitter = new RecordEmitter(context.getConfiguration());
        }

        @Override
        protected void map(final IntWritable map, final IntWritable index, final Context context)
                throws IOException, InterruptedException {
            emitter.emit(map.get(), index.get(), context::write);
        }
    }

    /** For the old API. */
    public static final class OldApi extends MapReduceBase
            implements org.apache.hadoop.mapred.Mapper<IntWritable, IntWritable, Object, Object> {
        private RecordEmitter emitter;

        @Override
        public void configure(final JobConf job) {
            emitter = new RecordEmitter(job);
        }

        @Override
        public void map(
                final IntWritable map,
                final IntWritable index,
                final OutputCollector<Object, Object> output,
                final Reporter reporter)
                throws IOException {
            try {
                emitter.emit(map.get(), index.get(), output::collect);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
    }
}
