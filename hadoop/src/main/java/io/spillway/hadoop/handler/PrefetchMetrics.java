package io.spillway.hadoop.handler;

import io.spillway.node.PrefetchStats;
import java.util.function.Supplier;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;

/**
 * What reading map outputs ahead has brought, among the NodeManager's metrics as {@value #NAME}.
 * Thread-safe.
 */
final class PrefetchMetrics implements MetricsSource, AutoCloseable {
    /** The name of the source. */
    static final String NAME = "SpillwayPrefetch";

    private static final String CONTEXT = "mapred";

    private final MetricsSystem metrics;

    /** Null when the node has stopped: a metrics system may keep its sources for longer. */
    private volatile Supplier<PrefetchStats> stats;

    private PrefetchMetrics(final MetricsSystem metrics, final Supplier<PrefetchStats> stats) {
        this.metrics = metrics;
        this.stats = stats;
    }

    /**
     * Adds the source.
     *
     * @param stats the node's figures; does not block
     * @throws org.apache.hadoop.metrics2.MetricsException when there is a source of this name
     */
    static PrefetchMetrics register(
            final MetricsSystem metrics, final Supplier<PrefetchStats> stats) {
        final PrefetchMetrics source = new PrefetchMetrics(metrics, stats);
        return metrics.register(NAME, "Map outputs read ahead by Spillway", source);
    }

    @Override
    public void getMetrics(final MetricsCollector collector, final boolean all) {
        final Supplier<PrefetchStats> current = stats;
        if (current == null) {
            return;
        }
        final PrefetchStats figures = current.get();
        collector
                .addRecord(NAME)
                .setContext(CONTEXT)
                .addCounter(
                        Interns.info("Hits", "Pieces of map outputs served from memory"),
                        figures.hits())
                .addCounter(
                        Interns.info(
                                "Misses", "Pieces of map outputs on disk served from the file"),
                        figures.misses())
                .addCounter(
                        Interns.info("ReadAheadBytes", "Bytes read ahead"),
                        figures.readAheadBytes())
                .addCounter(
                        Interns.info("EvictedUnreadBytes", "Bytes read ahead in vain"),
                        figures.evictedUnreadBytes())
                .addGauge(
                        Interns.info("CurrentBytes", "Memory that is used now, in bytes"),
                        figures.currentBytes());
    }

    @Override
    public void close() {
        stats = null;
        metrics.unregisterSource(NAME);
    }
}
