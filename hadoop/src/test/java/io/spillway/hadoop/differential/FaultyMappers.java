// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.differential.FaultyCode.Manner;
import io.spillway.hadoop.differential.FaultyCode.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** The mappers of {@link FaultyCode}, for both APIs. */
final class FaultyMappers {
    private static final int LARGE_BYTES = 2 << 20;
    private static final int KEYS = 500;

    private FaultyMappers() {}

    /** The records of one task. */
    private static final class Records {
        /** Where they go. */
        interface Output {
            void write(Text key, Text value) throws IOException, InterruptedException;
        }

        private final Configuration conf;
        private final Manner manner;
        private final List<Text[]> late = new ArrayList<>();
        private boolean gaveUp;

        Records(final Configuration conf) {
            this.conf = conf;
            this.manner = conf.getEnum(FaultyCode.MANNER, Manner.PASSES);
        }

        void emit(final int map, final int index, final Output output)
                throws IOException, InterruptedException {
            FaultyCode.reach(conf, Place.MAP);
            final Text key = new Text(FaultyCode.KEY_PREFIX + index % KEYS);
            final boolean large = index == conf.getInt(FaultyCode.LARGE, -1);
            final Text value =
                    large ? new Text("l".repeat(LARGE_BYTES)) : new Text(map + "-" + index);
            if (manner == Manner.PASSES) {
                output.write(key, value);
                return;
            }
            emitCaught(key, value, output);
        }

        private void emitCaught(final Text key, final Text value, final Output output) {
            if (gaveUp) {
                return;
            }
            if (!late.isEmpty()) {
                late.add(new Text[] {key, value});
                return;
            }
            try {
                output.write(key, value);
            } catch (final Throwable e) {
                refused(key, value, output);
            }
        }

        private void refused(final Text key, final Text value, final Output output) {
            switch (manner) {
                case RETRIES -> writeQuietly(key, value, output);
                case WRITES_LATE -> late.add(new Text[] {key, value});
                case GIVES_UP -> gaveUp = true;
                default -> {}
            }
        }

        private static void writeQuietly(final Text key, final Text value, final Output output) {
            try {
                output.write(key, value);
            } catch (final Throwable e) {
                // So do many mappers.
            }
        }

        void end(final Output output) throws IOException {
            FaultyCode.reach(conf, Place.CLEANUP);
            FaultyCode.clearInterrupt();
            late.forEach(record -> writeQuietly(record[0], record[1], output));
        }
    }

    /** For the new API. */
    public static final class NewMapper
            extends org.apache.hadoop.mapreduce.Mapper<IntWritable, IntWritable, Text, Text> {
        private Records records;

        @Override
        protected void setup(final Context context) throws IOException {
            FaultyCode.reach(context.getConfiguration(), Place.SETUP);
            records = new Records(context.getConfiguration());
        }

        @Override
        protected void map(final IntWritable map, final IntWritable index, final Context context)
                throws IOException, InterruptedException {
            records.emit(map.get(), index.get(), context::write);
        }

        @Override
        protected void cleanup(final Context context) throws IOException {
            records.end(context::write);
        }
    }

    /** For the old API. */
    public static final class OldMapper extends MapReduceBase
            implements org.apache.hadoop.mapred.Mapper<IntWritable, IntWritable, Text, Text> {
        private Records records;
        private OutputCollector<Text, Text> last;

        @Override
        public void configure(final JobConf job) {
            FaultyCode.reachUnchecked(job, Place.SETUP);
            records = new Records(job);
        }

        @Override
        public void map(
                final IntWritable map,
                final IntWritable index,
                final OutputCollector<Text, Text> output,
                final Reporter reporter)
                throws IOException {
            last = output;
            try {
                records.emit(map.get(), index.get(), output::collect);
            } catch (final InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            records.end(last::collect);
        }
    }
}
