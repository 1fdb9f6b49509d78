// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** The combiners, for both APIs. */
final class Combiners {
    private Combiners() {}

    private static LongWritable sum(final Iterator<LongWritable> values) {
        long sum = 0;
        while (values.hasNext()) {
            sum += values.next().get();
        }
        return new LongWritable(sum);
    }

    private static Set<Text> distinct(final Iterator<Text> values) {
        final Set<Text> distinct = new LinkedHashSet<>();
        while (values.hasNext()) {
            distinct.add(new Text(values.next()));
        }
        return distinct;
    }

    private static Text linked(final Iterator<Text> values) {
        final StringBuilder linked = new StringBuilder();
        values.forEachRemaining(linked::append);
        return new Text(linked.toString());
    }

    private static IOException failure() {
        return new IOException("The combiner fails on purpose");
    }

    /** Sums longs, new API. */
    public static final class NewSum
            extends org.apache.hadoop.mapreduce.Reducer<
                    Object, LongWritable, Object, LongWritable> {
        @Override
        protected void reduce(
                final Object key, final Iterable<LongWritable> values, final Context context)
                throws IOException, InterruptedException {
            context.write(key, sum(values.iterator()));
        }
    }

    /** Sums longs, old API. */
    public static final class OldSum extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<
                    Object, LongWritable, Object, LongWritable> {
        @Override
        public void reduce(
                final Object key,
                final Iterator<LongWritable> values,
                final OutputCollector<Object, LongWritable> output,
                final Reporter reporter)
                throws IOException {
            output.collect(key, sum(values));
        }
    }

    /** Drops repeated values, new API. */
    public static final class NewDistinct
            extends org.apache.hadoop.mapreduce.Reducer<Object, Text, Object, Text> {
        @Override
        protected void reduce(final Object key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            for (final Text value : distinct(values.iterator())) {
                context.write(key, value);
            }
        }
    }

    /** Drops repeated values, old API. */
    public static final class OldDistinct extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<Object, Text, Object, Text> {
        @Override
        public void reduce(
                final Object key,
                final Iterator<Text> values,
                final OutputCollector<Object, Text> output,
                final Reporter reporter)
                throws IOException {
            for (final Text value : distinct(values)) {
                output.collect(key, value);
            }
        }
    }

    /** Links texts, new API. */
    public static final class NewLink
            extends org.apache.hadoop.mapreduce.Reducer<Object, Text, Object, Text> {
        @Override
        protected void reduce(final Object key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            context.write(key, linked(values.iterator()));
        }
    }

    /** Links texts, old API. */
    public static final class OldLink extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<Object, Text, Object, Text> {
        @Override
        public void reduce(
                final Object key,
                final Iterator<Text> values,
                final OutputCollector<Object, Text> output,
                final Reporter reporter)
                throws IOException {
            output.collect(key, linked(values));
        }
    }

    /** Throws, new API. */
    public static final class NewThrowing
            extends org.apache.hadoop.mapreduce.Reducer<
                    Object, LongWritable, Object, LongWritable> {
        @Override
        protected void reduce(
                final Object key, final Iterable<LongWritable> values, final Context context)
                throws IOException {
            throw failure();
        }
    }

    /** Throws, old API. */
    public static final class OldThrowing extends MapReduceBase
            implements org.apache.hadoop.mapred.Reducer<
                    Object, LongWritable, Object, LongWritable> {
        @Override
        public void reduce(
                final Object key,
                final Iterator<LongWritable> values,
                final OutputCollector<Object, LongWritable> output,
                final Reporter reporter)
                throws IOException {
            throw failure();
        }
    }
}
