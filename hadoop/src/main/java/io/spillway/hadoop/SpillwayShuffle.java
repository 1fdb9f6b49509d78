// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop;

import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.job.ReducerTransport;
import io.spillway.hadoop.job.SpillwayReducers;
import io.spillway.hadoop.reduce.OwnNode;
import io.spillway.hadoop.reduce.ReduceShuffle;
import io.spillway.hadoop.reduce.ShuffleChoice;
import io.spillway.node.Transports;
import io.spillway.transport.Transport;
import java.io.IOException;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reduce side of Spillway, as a plug-in of Hadoop ({@code
 * mapreduce.job.reduce.shuffle.consumer.plugin.class}). Where it cannot do the job it hands
 * everything to the stock shuffle, and says why; that is decided by the job's configuration, as
 * maps decide by it what they leave. One a task; used by the task thread.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class SpillwayShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
    private static final Logger LOG = LoggerFactory.getLogger(SpillwayShuffle.class);

    private ReduceShuffle shuffle;
    private Shuffle<K, V> stock;

    /** For Hadoop. */
    public SpillwayShuffle() {}

    @Override
    public void init(final Context<K, V> context) {
        PlugIns.warnOfUnknownSettings(context.getJobConf(), LOG);
        final String reason = start(context);
        if (reason == null) {
            return;
        }
        LOG.info("Using the stock shuffle: {}", reason);
        stock = new Shuffle<>();
        stock.init(context);
        ReduceShuffle.countStockFallback(context);
    }

    /** Prepares Spillway's shuffle; gives the reason when that cannot be. */
    private String start(final Context<K, V> context) {
        try {
            final ShuffleChoice choice = ShuffleChoice.of(context);
            if (choice.stockReason() == null) {
                final Transport transport =
                        ReducerTransport.of(
                                context.getReduceId(),
                                choice.tls(),
                                Transports.all(),
                                OwnNode.of(context.getJobConf(), context.getReduceId()),
                                new Lookup(context.getJobConf()));
                shuffle = new ReduceShuffle(context, choice, transport);
            }
            return choice.stockReason();
        } catch (final LinkageError e) {
            if (SpillwayReducers.areNeededBy(context.getJobConf())) {
                throw e;
            }
            LOG.warn("Spillway's shuffle lacks a class", e);
            return "a class is missing: " + e;
        }
    }

    @Override
    public RawKeyValueIterator run() throws IOException, InterruptedException {
        return stock == null ? shuffle.run() : stock.run();
    }

    /** Hadoop calls this only after a successful reduce; failures free everything themselves. */
    @Override
    public void close() {
        if (stock == null) {
            shuffle.finish();
        } else {
            stock.close();
        }
    }
}
