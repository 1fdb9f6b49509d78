// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.io.serializer.WritableSerialization;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * A job's own code, of both APIs, in which something happens once in each task: at the chosen call
 * of the chosen place. The mappers differ in what they make of exceptions.
 */
final class FaultyCode {
    static final String PLACE = "differential.faulty.place";
    static final String EVENT = "differential.faulty.event";
    static final String CALL = "differential.faulty.call";
    static final String MANNER = "differential.faulty.manner";
    static final String LARGE = "differential.faulty.large";

    /** How all keys begin, and no value. */
    static final String KEY_PREFIX = "key-";

    private static final Map<String, AtomicInteger> CALLS = new ConcurrentHashMap<>();

    private FaultyCode() {}

    /** Where user code is called. */
    enum Place {
        NOWHERE,
        SETUP,
        MAP,
        CLEANUP,
        PARTITIONER,
        COMPARATOR,
        COMBINER,
        /** After the first half of a key's bytes. */
        KEY_SERIALIZER,
        /** After the first half of a value's bytes. */
        VALUE_SERIALIZER,
        CODEC,
        REDUCE
    }

    /** What happens there. */
    enum Event {
        CHECKED,
        UNCHECKED,
        ERROR,
        /** Sets the thread's flag; the last code of the job to run in the task clears it. */
        INTERRUPT,
        /** Nothing. */
        NONE
    }

    /** What a mapper makes of a record that was refused. */
    enum Manner {
        /** Passes the exception on. */
        PASSES,
        /** Catches everything and goes on with the next record. */
        CATCHES,
        /** Writes the record once more. */
        RETRIES,
        /** Keeps the refused records, and all others from then on, for its cleanup. */
        WRITES_LATE,
        /** Writes nothing more, and returns as if nothing had happened. */
        GIVES_UP
    }

    /** To be called wherever the place is. */
    static void reach(final Configuration conf, final Place place) throws IOException {
        final boolean mapSide = place != Place.REDUCE;
        if (conf.getEnum(PLACE, Place.NOWHERE) != place
                || conf.getBoolean(MRJobConfig.TASK_ISMAP, true) != mapSide
                || !isTheCall(conf)) {
            return;
        }
        switch (conf.getEnum(EVENT, Event.CHECKED)) {
            case CHECKED -> throw new IOException("thrown on purpose");
            case UNCHECKED -> throw new IllegalStateException("thrown on purpose");
            case ERROR -> throw new StackOverflowError("thrown on purpose");
            case INTERRUPT -> Thread.currentThread().interrupt();
            case NONE -> {}
        }
    }

    private static boolean isTheCall(final Configuration conf) {
        final String task = conf.get("hadoop.tmp.dir") + conf.get(MRJobConfig.TASK_ATTEMPT_ID);
        return CALLS.computeIfAbsent(task, key -> new AtomicInteger()).incrementAndGet()
                == conf.getInt(CALL, 1);
    }

    /**
     * What a task does by itself at its end fails by chance where the flag is still set, with stock
     * Hadoop, too: it waits for threads there.
     */
    static void clearInterrupt() {
        Thread.interrupted();
    }

    static void reachUnchecked(final Configuration conf, final Place place) {
        try {
            reach(conf, place);
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int partition(final Configuration conf, final Text key, final int partitions) {
        reachUnchecked(conf, Place.PARTITIONER);
        return (key.hashCode() & Integer.MAX_VALUE) % partitions;
    }

    /** For the new API. */
    public static final class NewPartitioner
            extends org.apache.hadoop.mapreduce.Partitioner<Text, Text>
            implements org.apache.hadoop.conf.Configurable {
        private Configuration conf;

        @Override
        public void setConf(final Configuration conf) {
            this.conf = conf;
        }

        @Override
        public Configuration getConf() {
            return conf;
        }

        @Override
        public int getPartition(final Text key, final Text value, final int partitions) {
            return partition(conf, key, partitions);
        }
    }

    /** For the old API. */
    public static final class OldPartitioner
            implements org.apache.hadoop.mapred.Partitioner<Text, Text> {
        private JobConf job;

        @Override
        public void configure(final JobConf conf) {
            job = conf;
        }

        @Override
        public int getPartition(final Text key, final Text value, final int partitions) {
            return partition(job, key, partitions);
        }
    }

    /** Compares as Text does. */
    public static final class Comparator extends WritableComparator {
        private Configuration conf;

        /** Called by Hadoop. */
        public Comparator() {
            super(Text.class, true);
        }

        @Override
        public void setConf(final Configuration configuration) {
            conf = configuration;
        }

        @Override
        public Configuration getConf() {
            return conf;
        }

        @Override
        public int compare(
                final byte[] one,
                final int oneStart,
                final int oneLength,
                final byte[] other,
                final int otherStart,
                final int otherLength) {
            reachUnchecked(conf, Place.COMPARATOR);
            return super.compare(one, oneStart, oneLength, other, otherStart, otherLength);
        }
    }

    /** Combines nothing: it passes all values on, new API. */
    public static final class NewCombiner
            extends org.apache.hadoop.mapreduce.Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            reach(context.getConfiguration(), Place.COMBINER);
            for (final Text value : values) {
                context.write(key, value);
            }
        }
    }

    /** The same, old API. */
    public static final class OldCombiner extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<Text, Text, Text, Text> {
        private JobConf job;

        @Override
        public void configure(final JobConf conf) {
            job = conf;
        }

        @Override
        public void reduce(
                final Text key,
                final Iterator<Text> values,
                final OutputCollector<Text, Text> output,
                final Reporter reporter)
                throws IOException {
            reach(job, Place.COMBINER);
            while (values.hasNext()) {
                output.collect(key, values.next());
            }
        }
    }

    /** Records its groups, as {@link Reducers.NewApi}. */
    public static final class NewReducer
            extends org.apache.hadoop.mapreduce.Reducer<
                    Object, Object, BytesWritable, BytesWritable> {
        private GroupRecorder recorder;

        @Override
        protected void setup(final Context context) {
            recorder = new GroupRecorder(context.getConfiguration());
        }

        @Override
        protected void reduce(
                final Object key, final Iterable<Object> values, final Context context)
                throws IOException, InterruptedException {
            reach(context.getConfiguration(), Place.REDUCE);
            recorder.reduce(key, values.iterator(), context::write);
        }

        @Override
        protected void cleanup(final Context context) {
            clearInterrupt();
        }
    }

    /** The same, old API. */
    public static final class OldReducer extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<
                    Object, Object, BytesWritable, BytesWritable> {
        private JobConf job;
        private GroupRecorder recorder;

        @Override
        public void configure(final JobConf conf) {
            job = conf;
            recorder = new GroupRecorder(conf);
        }

        @Override
        public void reduce(
                final Object key,
                final Iterator<Object> values,
                final OutputCollector<BytesWritable, BytesWritable> output,
                final Reporter reporter)
                throws IOException {
            reach(job, Place.REDUCE);
            try {
                recorder.reduce(key, values, output::collect);
            } catch (final InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void close() {
            clearInterrupt();
        }
    }

    /** Texts as ever, but for the one call. */
    public static final class Serialization extends WritableSerialization {
        @Override
        public Serializer<Writable> getSerializer(final Class<Writable> type) {
            return new HalfWay(getConf());
        }
    }

    /** Tells keys from values by how they begin. */
    private static final class HalfWay extends Configured implements Serializer<Writable> {
        private final DataOutputBuffer bytes = new DataOutputBuffer();
        private OutputStream out;

        HalfWay(final Configuration conf) {
            super(conf);
        }

        @Override
        public void open(final OutputStream stream) {
            out = stream;
        }

        @Override
        public void serialize(final Writable writable) throws IOException {
            final boolean key = writable.toString().startsWith(KEY_PREFIX);
            bytes.reset();
            writable.write(bytes);
            final int half = bytes.getLength() / 2;
            out.write(bytes.getData(), 0, half);
            reach(getConf(), key ? Place.KEY_SERIALIZER : Place.VALUE_SERIALIZER);
            out.write(bytes.getData(), half, bytes.getLength() - half);
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    /** Compresses, but for the one call. */
    public static final class Codec extends DefaultCodec {
        @Override
        public CompressionOutputStream createOutputStream(
                final OutputStream out, final Compressor compressor) throws IOException {
            reach(getConf(), Place.CODEC);
            return super.createOutputStream(out, compressor);
        }
    }
}
