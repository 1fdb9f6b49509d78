// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.differential.Ordering.TextGrouping;
import io.spillway.hadoop.differential.TestKeys.PairKey;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;

/** Which reducer a record goes to. */
enum Partitioning {
    /** By hash code. */
    HASH(null),
    /** By the part of the key that secondary sort groups by. */
    BY_PRIMARY(ByPrimary.class),
    /** Everything to the last reducer. */
    ALL_TO_LAST(AllToLast.class),
    /** Nothing to every second reducer. */
    EVEN_ONLY(EvenOnly.class),
    /** One partition too far, for one key in a few. */
    TOO_HIGH(TooHigh.class),
    /** Minus one, for one key in a few. */
    NEGATIVE(Negative.class);

    private final Class<? extends BothApis> partitioner;

    Partitioning(final Class<? extends BothApis> partitioner) {
        this.partitioner = partitioner;
    }

    void configure(final JobConf conf, final boolean newApi) {
        if (partitioner == null) {
            return;
        }
        if (newApi) {
            conf.setClass(
                    "mapreduce.job.partitioner.class",
                    partitioner,
                    org.apache.hadoop.mapreduce.Partitioner.class);
        } else {
            conf.setPartitionerClass(partitioner);
        }
    }

    /** A partitioner for the old and the new API. */
    abstract static class BothApis extends org.apache.hadoop.mapreduce.Partitioner<Object, Object>
            implements org.apache.hadoop.mapred.Partitioner<Object, Object> {
        @Override
        public void configure(final JobConf job) {
            // Nothing to configure.
        }
    }

    /** See {@link #BY_PRIMARY}. */
    public static final class ByPrimary extends BothApis {
        @Override
        public int getPartition(final Object key, final Object value, final int partitions) {
            return (primary(key).hashCode() & Integer.MAX_VALUE) % partitions;
        }

        private static Object primary(final Object key) {
            if (key instanceof PairKey pair) {
                return pair.first();
            }
            final Text text = (Text) key;
            return TextGrouping.primary(text.getBytes(), 0, text.getLength());
        }
    }

    /** See {@link #ALL_TO_LAST}. */
    public static final class AllToLast extends BothApis {
        @Override
        public int getPartition(final Object key, final Object value, final int partitions) {
            return partitions - 1;
        }
    }

    /** See {@link #EVEN_ONLY}. */
    public static final class EvenOnly extends BothApis {
        @Override
        public int getPartition(final Object key, final Object value, final int partitions) {
            return (key.hashCode() & Integer.MAX_VALUE) % ((partitions + 1) / 2) * 2;
        }
    }

    /** See {@link #TOO_HIGH}. */
    public static final class TooHigh extends BothApis {
        @Override
        public int getPartition(final Object key, final Object value, final int partitions) {
            return key.hashCode() % 5 == 0 ? partitions : 0;
        }
    }

    /** See {@link #NEGATIVE}. */
    public static final class Negative extends BothApis {
        @Override
        public int getPartition(final Object key, final Object value, final int partitions) {
            return key.hashCode() % 5 == 0 ? -1 : 0;
        }
    }
}
