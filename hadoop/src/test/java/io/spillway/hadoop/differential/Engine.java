// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.SpillwayCollector;
import io.spillway.hadoop.SpillwayShuffle;
import io.spillway.hadoop.differential.LoopbackNodes.Layout;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.store.tier.StoreKeys;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;

/** What lies between {@code map()} and {@code reduce()}. */
enum Engine {
    /** Hadoop as it is: the reference. */
    STOCK(false, null, null, false),
    /** Hadoop's own collector and shuffle, but over the loopback nodes: proves the harness. */
    STOCK_OVER_LOOPBACK(false, Shuffle.class, Layout.STOCK, false),
    /** Hadoop's own, with a fault that {@link FaultyShuffle#FAULT} names: proves the comparison. */
    FAULTY(false, FaultyShuffle.class, Layout.STOCK, false),
    /** Spillway's collector, Hadoop's own shuffle. */
    SPILLWAY_MAP(true, null, null, false),
    /** Hadoop's own collector, Spillway's shuffle. */
    SPILLWAY_REDUCE(false, SpillwayShuffle.class, Layout.SPILLWAY, false),
    /**
     * The same in a buffer so small that reducers read outputs without block checksums by windows.
     */
    SPILLWAY_REDUCE_TIGHT(false, SpillwayShuffle.class, Layout.SPILLWAY, true),
    /** All of Spillway, as it is by default. */
    SPILLWAY_FULL(true, SpillwayShuffle.class, Layout.SPILLWAY, false),
    /** All of Spillway, in a buffer so small that reducers read by windows. */
    SPILLWAY_TIGHT(true, SpillwayShuffle.class, Layout.SPILLWAY, true),
    /** All of Spillway, but every second map output lies on a node with the stock handler. */
    SPILLWAY_MIXED_NODES(true, SpillwayShuffle.class, Layout.MIXED, false),
    /** The same in the small buffer. */
    SPILLWAY_MIXED_NODES_TIGHT(true, SpillwayShuffle.class, Layout.MIXED, true),
    /** Spillway's collector and shuffle, but all nodes have the stock handler. */
    SPILLWAY_STOCK_NODES(true, SpillwayShuffle.class, Layout.STOCK, false),
    /** All of Spillway, over links that cut every connection. */
    SPILLWAY_CUT_LINKS(true, SpillwayShuffle.class, Layout.CUT, false),
    /** The same in the small buffer. */
    SPILLWAY_CUT_LINKS_TIGHT(true, SpillwayShuffle.class, Layout.CUT, true),
    /** All of Spillway, over links that turn a bit of every connection. */
    SPILLWAY_FLIPPING_LINKS(true, SpillwayShuffle.class, Layout.FLIP, false),
    /** The same in the small buffer. */
    SPILLWAY_FLIPPING_LINKS_TIGHT(true, SpillwayShuffle.class, Layout.FLIP, true);

    private static final int RETRY_MILLIS = 50;
    private static final String SILENCE_MILLIS = "3000";
    private static final String TIGHT_BUFFER = "96k";
    private static final String TIGHT_WINDOW_MAX = "4k";
    private static final String TIGHT_WINDOW_MIN = "1k";

    private final boolean collector;
    private final Class<?> shuffle;
    private final Layout layout;
    private final boolean tight;

    Engine(
            final boolean collector,
            final Class<?> shuffle,
            final Layout layout,
            final boolean tight) {
        this.collector = collector;
        this.shuffle = shuffle;
        this.layout = layout;
        this.tight = tight;
    }

    /** The engines that every job has to run on. */
    static Engine[] underTest() {
        return new Engine[] {SPILLWAY_MAP, SPILLWAY_FULL, SPILLWAY_TIGHT};
    }

    void configure(final JobConf conf) {
        if (collector) {
            conf.set(
                    MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
                    SpillwayCollector.class.getName()
                            + ",org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
            // No node offers memory here.
            conf.setIfUnset(StoreKeys.STORE_MEMORY_DIR.name(), "/dev/shm");
        }
        if (shuffle == null) {
            return;
        }
        conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, LoopbackShuffle.class.getName());
        conf.set(LoopbackShuffle.DELEGATE, shuffle.getName());
        conf.setEnum(LoopbackNodes.LAYOUT, layout);
        conf.setIfUnset(EngineKeys.SHUFFLE_POLL_INTERVAL.name(), "50");
        // What fails is tried again soon, and for as long as it takes.
        conf.setBoolean(MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED, true);
        conf.setInt(MRJobConfig.SHUFFLE_FETCH_RETRY_INTERVAL_MS, RETRY_MILLIS);
        conf.setInt(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, RETRY_MILLIS);
        conf.set(ProtocolKeys.SHUFFLE_READ_TIMEOUT.name(), SILENCE_MILLIS);
        if (layout == Layout.FLIP) {
            // Keyed tags would end each connection; here the checksums have to find turned bits.
            conf.setIfUnset(ProtocolKeys.PROTECTION.name(), "authentication");
        }
        if (tight) {
            conf.setIfUnset(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), TIGHT_BUFFER);
            conf.setIfUnset(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "2");
            conf.setIfUnset(EngineKeys.SHUFFLE_WINDOW_MAX.name(), TIGHT_WINDOW_MAX);
            conf.setIfUnset(EngineKeys.SHUFFLE_WINDOW_MIN.name(), TIGHT_WINDOW_MIN);
        }
    }

    /** Where the map outputs lie, if reducers fetch them by Spillway's shuffle. */
    Optional<Layout> spillwayFetchesFrom() {
        return shuffle == SpillwayShuffle.class ? Optional.of(layout) : Optional.empty();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
