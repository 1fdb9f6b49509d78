package io.spillway.hadoop.differential;

import io.spillway.hadoop.SpillwayCollector;
import java.util.Locale;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;

/** What lies between {@code map()} and {@code reduce()}. */
enum Engine {
    /** Hadoop as it is: the reference. */
    STOCK,
    /** Hadoop's own collector and shuffle, but over the loopback nodes: proves the harness. */
    STOCK_OVER_LOOPBACK {
        @Override
        void configure(final JobConf conf) {
            loopback(conf, Shuffle.class.getName(), LoopbackNodes.Layout.STOCK);
        }
    },
    /** Spillway's collector, Hadoop's own shuffle. */
    SPILLWAY_MAP {
        @Override
        void configure(final JobConf conf) {
            collector(conf);
        }
    };

    /** The engines that every job has to run on. */
    static Engine[] underTest() {
        return new Engine[] {SPILLWAY_MAP};
    }

    void configure(final JobConf conf) {
        // Stock Hadoop needs no setting.
    }

    private static void loopback(
            final JobConf conf, final String shuffle, final LoopbackNodes.Layout layout) {
        conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, LoopbackShuffle.class.getName());
        conf.set(LoopbackShuffle.DELEGATE, shuffle);
        conf.setEnum(LoopbackNodes.LAYOUT, layout);
    }

    private static void collector(final JobConf conf) {
        conf.set(
                MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
                SpillwayCollector.class.getName()
                        + ",org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
