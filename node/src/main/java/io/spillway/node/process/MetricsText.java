package io.spillway.node.process;

import io.spillway.node.PrefetchStats;
import io.spillway.node.process.NodeStatus.ManagerStatus;
import io.spillway.node.process.NodeStatus.StoreStatus;
import io.spillway.node.process.NodeStatus.TransportStatus;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** A {@link NodeStatus} in Prometheus' text format, version 0.0.4. */
final class MetricsText {
    /** The content type of the format. */
    static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final String GAUGE = "gauge";
    private static final String COUNTER = "counter";
    private static final double MILLIS_PER_SECOND = 1e3;

    private final StringBuilder out = new StringBuilder();

    private MetricsText() {}

    /** The whole page. */
    static String of(final NodeStatus status) {
        final MetricsText text = new MetricsText();
        text.head("spillway_node_start_time_seconds", GAUGE, "When the node process started.");
        text.out.append(
                String.format(
                        Locale.ROOT,
                        "spillway_node_start_time_seconds %.3f\n",
                        status.started().toEpochMilli() / MILLIS_PER_SECOND));
        text.transports(status.transports());
        text.managers(status.managers());
        text.cache(status.cache());
        return text.out.toString();
    }

    private void transports(final List<TransportStatus> all) {
        transport(all, "connections", GAUGE, "Connections now.", t -> t.stats().connections());
        transport(
                all,
                "accepted_total",
                COUNTER,
                "Connections since the start.",
                t -> t.stats().accepted());
        transport(all, "refused_total", COUNTER, "Connections refused.", t -> t.stats().refused());
        transport(all, "requests_total", COUNTER, "Fetches answered.", t -> t.stats().requests());
        transport(
                all,
                "failures_total",
                COUNTER,
                "Fetches answered with a failure.",
                t -> t.stats().failures());
        transport(all, "bytes_total", COUNTER, "Bytes of segments sent.", t -> t.stats().bytes());
    }

    private void transport(
            final List<TransportStatus> all,
            final String name,
            final String type,
            final String help,
            final ToLongFunction<TransportStatus> value) {
        final String metric = "spillway_transport_" + name;
        head(metric, type, help);
        for (final TransportStatus transport : all) {
            line(
                    metric,
                    "{transport=\"" + escape(transport.name()) + "\"}",
                    value.applyAsLong(transport));
        }
    }

    private void managers(final List<ManagerStatus> all) {
        head("spillway_nodemanager_connected", GAUGE, "1 where the handler is connected.");
        for (final ManagerStatus manager : all) {
            line("spillway_nodemanager_connected", label(manager), manager.connected() ? 1 : 0);
        }
        head("spillway_nodemanager_jobs", GAUGE, "Jobs that are served.");
        for (final ManagerStatus manager : all) {
            line("spillway_nodemanager_jobs", label(manager), manager.jobs().size());
        }
        store(all, "used_bytes", "Bytes of a tier in use.", StoreStatus::usedBytes);
        store(all, "free_bytes", "Bytes that tasks may still write.", StoreStatus::freeBytes);
    }

    private static String label(final ManagerStatus manager) {
        return "{nodemanager=\"" + escape(manager.name()) + "\"}";
    }

    private void store(
            final List<ManagerStatus> all,
            final String name,
            final String help,
            final ToLongFunction<StoreStatus> value) {
        final String metric = "spillway_store_" + name;
        head(metric, GAUGE, help);
        for (final ManagerStatus manager : all) {
            for (final StoreStatus store : manager.stores()) {
                line(
                        metric,
                        "{nodemanager=\""
                                + escape(manager.name())
                                + "\",tier=\""
                                + escape(store.tier())
                                + "\"}",
                        value.applyAsLong(store));
            }
        }
    }

    private void cache(final PrefetchStats cache) {
        single("spillway_cache_hits_total", COUNTER, "Pieces from memory.", cache.hits());
        single("spillway_cache_misses_total", COUNTER, "Pieces from files.", cache.misses());
        single(
                "spillway_cache_read_ahead_bytes_total",
                COUNTER,
                "Bytes read ahead.",
                cache.readAheadBytes());
        single("spillway_cache_bytes", GAUGE, "Memory used now.", cache.currentBytes());
    }

    private void single(
            final String metric, final String type, final String help, final long value) {
        head(metric, type, help);
        line(metric, "", value);
    }

    private void head(final String metric, final String type, final String help) {
        out.append("# HELP ").append(metric).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(metric).append(' ').append(type).append('\n');
    }

    private void line(final String metric, final String labels, final long value) {
        out.append(metric).append(labels).append(' ').append(value).append('\n');
    }

    private static String escape(final String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
