// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.metrics;

import io.spillway.node.member.MemberStatus;
import io.spillway.node.metrics.NodeMetric.Label;
import io.spillway.node.prefetch.PrefetchStats;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.placement.status.ServiceFigures;
import io.spillway.store.pool.FolderStatus;
import io.spillway.transport.serve.ServerStats;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The values of {@link NodeMetric} at one moment. Used by one thread. */
public final class NodeFigures {
    /**
     * One value.
     *
     * @param metric what it is of
     * @param labels by each of the metric's
     * @param value in the metric's unit
     */
    public record Figure(NodeMetric metric, Map<Label, String> labels, long value) {
        /** Copies the labels, in their order. */
        public Figure {
            final Map<Label, String> ordered = new EnumMap<>(Label.class);
            ordered.putAll(labels);
            if (!ordered.keySet().equals(new HashSet<>(metric.labels()))) {
                throw new IllegalArgumentException(
                        "labels=" + labels + " of " + metric + ", expected " + metric.labels());
            }
            labels = Collections.unmodifiableMap(ordered);
        }
    }

    private final List<Figure> figures = new ArrayList<>();

    /** No values yet. */
    public NodeFigures() {}

    /** All values so far, those of one metric in the order in which they came. */
    public List<Figure> all() {
        return List.copyOf(figures);
    }

    private void add(final NodeMetric metric, final long value, final Object... labels) {
        final Map<Label, String> named = new EnumMap<>(Label.class);
        for (int i = 0; i < labels.length; i++) {
            named.put(metric.labels().get(i), textOf(labels[i]));
        }
        figures.add(new Figure(metric, named, value));
    }

    private static String textOf(final Object label) {
        return label instanceof Enum<?> constant
                ? constant.name().toLowerCase(Locale.ROOT)
                : String.valueOf(label);
    }

    /** When the node started. */
    public void start(final Instant started) {
        add(NodeMetric.START_TIME, started.getEpochSecond());
    }

    /** Whether the node process takes no new outputs. */
    public void draining(final boolean draining) {
        add(NodeMetric.NODE_DRAINING, draining ? 1 : 0);
    }

    /** What one transport has done. */
    public void transport(final String name, final ServerStats stats) {
        add(NodeMetric.TRANSPORT_CONNECTIONS, stats.connections(), name);
        add(NodeMetric.TRANSPORT_ACCEPTED, stats.accepted(), name);
        new TreeMap<>(stats.refusals())
                .forEach((cause, count) -> add(NodeMetric.TRANSPORT_REFUSED, count, name, cause));
        add(NodeMetric.TRANSPORT_REQUESTS, stats.requests(), name);
        add(NodeMetric.TRANSPORT_FAILURES, stats.failures(), name);
        new TreeMap<>(stats.sent())
                .forEach((source, bytes) -> add(NodeMetric.TRANSPORT_BYTES, bytes, name, source));
    }

    /** Requests over HTTP of reducers that would rather have Spillway's protocol. */
    public void fallbacks(final long requests) {
        add(NodeMetric.HTTP_FALLBACKS, requests);
    }

    /** Whether a NodeManager's handler is connected. */
    public void connected(final String nodeManager, final boolean connected) {
        add(NodeMetric.NODE_MANAGER_CONNECTED, connected ? 1 : 0, nodeManager);
    }

    /** How many jobs of a NodeManager are served. */
    public void jobs(final String nodeManager, final long jobs) {
        add(NodeMetric.NODE_MANAGER_JOBS, jobs, nodeManager);
    }

    /** How full a tier is; nothing where that is not known. */
    public void tier(final String nodeManager, final TierStatus tier) {
        tier.files().ifPresent(files -> tier(nodeManager, tier, files));
    }

    private void tier(final String nodeManager, final TierStatus tier, final FolderStatus files) {
        final String name = tier.tier();
        add(NodeMetric.STORE_USED, files.usedBytes(), nodeManager, name);
        add(NodeMetric.STORE_LEASED, files.leasedBytes(), nodeManager, name);
        add(NodeMetric.STORE_FREE, tier.freeBytes(), nodeManager, name);
        add(NodeMetric.STORE_LIMIT, tier.limitBytes(), nodeManager, name);
        add(NodeMetric.STORE_LEASES, files.leases(), nodeManager, name);
        new TreeMap<>(files.overflows())
                .forEach(
                        (cause, count) ->
                                add(NodeMetric.STORE_OVERFLOWS, count, nodeManager, name, cause));
    }

    /** What the node process is to other nodes. */
    public void member(final MemberStatus member) {
        add(NodeMetric.MEMORY_CAPACITY, member.space().capacity());
        add(NodeMetric.MEMORY_USED, member.space().used());
        add(NodeMetric.MEMORY_OUTPUTS, member.outputs());
        add(NodeMetric.MEMORY_PUTS, member.puts().pieces());
        add(NodeMetric.MEMORY_PUT_BYTES, member.puts().bytes());
        new TreeMap<>(member.puts().refused())
                .forEach((cause, count) -> add(NodeMetric.MEMORY_PUTS_REFUSED, count, cause));
        add(NodeMetric.MEMORY_COMMITS, member.puts().commits());
        add(NodeMetric.MEMORY_ABORTS, member.puts().aborts());
        add(NodeMetric.PLACEMENT_ANSWERED, member.answered() ? 1 : 0);
        member.cluster().ifPresent(this::cluster);
    }

    private void cluster(final PlacementStatus cluster) {
        final ServiceFigures service = cluster.service();
        add(NodeMetric.PLACEMENT_NODES, cluster.nodes().size());
        add(NodeMetric.PLACEMENT_JOBS, cluster.jobs().size());
        add(NodeMetric.PLACEMENT_CAPACITY, cluster.capacity());
        add(NodeMetric.PLACEMENT_USED, cluster.used());
        add(NodeMetric.PLACEMENT_LEASED, cluster.leased());
        add(NodeMetric.PLACEMENT_LEASES, service.leases());
        add(NodeMetric.PLACEMENT_OUTPUTS, cluster.outputs());
        add(NodeMetric.PLACEMENT_GRANTED, service.granted());
        new TreeMap<>(service.refused())
                .forEach((cause, count) -> add(NodeMetric.PLACEMENT_REFUSED, count, cause));
    }

    /** What reading ahead has brought. */
    public void cache(final PrefetchStats cache) {
        add(NodeMetric.CACHE_HITS, cache.hits());
        add(NodeMetric.CACHE_MISSES, cache.misses());
        add(NodeMetric.CACHE_READ_AHEAD, cache.readAheadBytes());
        add(NodeMetric.CACHE_EVICTED_UNREAD, cache.evictedUnreadBytes());
        add(NodeMetric.CACHE_BYTES, cache.currentBytes());
    }
}
