// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop;

import io.spillway.hadoop.map.MapCollector;
import io.spillway.hadoop.map.OutputPlacer;
import io.spillway.hadoop.placement.MemoryNodes;
import java.io.IOException;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects a map task's output: sorts by key prefixes, spills to a chain of tiers, and leaves the
 * map output where and as stock does. Use it by
 *
 * <pre>
 * mapreduce.job.map.output.collector.class =
 *     io.spillway.hadoop.SpillwayCollector,org.apache.hadoop.mapred.MapTask$MapOutputBuffer
 * </pre>
 *
 * <p>It keeps what {@code org.apache.hadoop.mapred.MapTask.MapOutputBuffer} keeps: checks and their
 * texts, counters, combiner rules, codecs, encryption, permissions and progress. It refuses
 * settings that it does not support in {@link #init}, so that the next collector of the list takes
 * over.
 *
 * <p>Thread-safe: {@code MultithreadedMapper} collects from several threads. A spill runs in the
 * thread whose record did not fit.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class SpillwayCollector<K, V> implements MapOutputCollector<K, V> {
    private static final Logger LOG = LoggerFactory.getLogger(SpillwayCollector.class);

    private MapCollector<K, V> collector;

    /** Created by Hadoop, through its configuration. */
    public SpillwayCollector() {}

    @Override
    public synchronized void init(final Context context)
            throws IOException, ClassNotFoundException {
        PlugIns.warnOfUnknownSettings(context.getJobConf(), LOG);
        // The job's input may have left it set, which ends reading of files by channels.
        final boolean interrupted = Thread.interrupted();
        try {
            collector = PlugIns.guardLinkage(() -> open(context));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static <K, V> MapCollector<K, V> open(final Context context)
            throws IOException, ClassNotFoundException {
        final OutputPlacer placer = MemoryNodes.of(context);
        try {
            return MapCollector.open(context, placer);
        } catch (final IOException | ClassNotFoundException | RuntimeException | Error e) {
            placer.close();
            throw e;
        }
    }

    @Override
    public synchronized void collect(final K key, final V value, final int partition)
            throws IOException, InterruptedException {
        collector.collect(key, value, partition);
    }

    /**
     * Writes the map output. Hadoop calls this again after a failure, and after a mapper that
     * threw; it fails then.
     */
    @Override
    public synchronized void flush()
            throws IOException, InterruptedException, ClassNotFoundException {
        collector.flush();
    }

    /** Frees what is left; after a failed map, without a flush before. Idempotent. */
    @Override
    public synchronized void close() {
        if (collector != null) {
            collector.close();
        }
    }
}
