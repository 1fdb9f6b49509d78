// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.metrics;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every metric of a node. Prometheus has it by {@link #prometheusName}, Hadoop's metrics system by
 * {@link #hadoopName}, and what Hadoop makes of that for Prometheus is the first name again.
 */
public enum NodeMetric {
    START_TIME(
            "node_start_time_seconds",
            Type.GAUGE,
            "seconds",
            "When the handler or the node process started, since 1970."),
    NODE_DRAINING(
            Set.of(Publisher.NODE_PROCESS),
            "node_draining",
            Type.GAUGE,
            "0 or 1",
            "1 where the node process takes no new map outputs (`spillway node drain`)."),

    TRANSPORT_CONNECTIONS(
            "transport_connections",
            Type.GAUGE,
            "connections",
            "Connections now.",
            Label.TRANSPORT),
    TRANSPORT_ACCEPTED(
            "transport_accepted_total",
            Type.COUNTER,
            "connections",
            "Connections since the start, refused ones included.",
            Label.TRANSPORT),
    TRANSPORT_REFUSED(
            "transport_refused_total",
            Type.COUNTER,
            "connections",
            "Connections of Spillway's protocol refused since the start.",
            Label.TRANSPORT,
            Label.CAUSE),
    TRANSPORT_REQUESTS(
            "transport_requests_total",
            Type.COUNTER,
            "requests",
            "Requests answered, with bytes or with a failure.",
            Label.TRANSPORT),
    TRANSPORT_FAILURES(
            "transport_failures_total",
            Type.COUNTER,
            "requests",
            "Requests answered with a failure.",
            Label.TRANSPORT),
    TRANSPORT_BYTES(
            "transport_bytes_total",
            Type.COUNTER,
            "bytes",
            "Bytes of map outputs sent, by where they were.",
            Label.TRANSPORT,
            Label.SOURCE),
    HTTP_FALLBACKS(
            Set.of(Publisher.NODE_MANAGER),
            "http_fallbacks_total",
            Type.COUNTER,
            "requests",
            "Requests over stock HTTP from reducers of Spillway, each for up to 20 maps."),

    NODE_MANAGER_CONNECTED(
            Set.of(Publisher.NODE_PROCESS),
            "nodemanager_connected",
            Type.GAUGE,
            "0 or 1",
            "1 where the NodeManager's handler is connected to the node process.",
            Label.NODE_MANAGER),
    NODE_MANAGER_JOBS(
            "nodemanager_jobs", Type.GAUGE, "jobs", "Jobs that are served.", Label.NODE_MANAGER),

    STORE_USED(
            "store_used_bytes",
            Type.GAUGE,
            "bytes",
            "Bytes of a tier's files, those kept for use again included.",
            Label.NODE_MANAGER,
            Label.TIER),
    STORE_LEASED(
            "store_leased_bytes",
            Type.GAUGE,
            "bytes",
            "Bytes of a tier's files that tasks and jobs have.",
            Label.NODE_MANAGER,
            Label.TIER),
    STORE_FREE(
            "store_free_bytes",
            Type.GAUGE,
            "bytes",
            "Bytes that a tier's files may still grow by.",
            Label.NODE_MANAGER,
            Label.TIER),
    STORE_LIMIT(
            "store_limit_bytes",
            Type.GAUGE,
            "bytes",
            "The most bytes of a tier's files.",
            Label.NODE_MANAGER,
            Label.TIER),
    STORE_LEASES(
            "store_leases",
            Type.GAUGE,
            "files",
            "Files of a tier that tasks and jobs have.",
            Label.NODE_MANAGER,
            Label.TIER),
    STORE_OVERFLOWS(
            "store_overflows_total",
            Type.COUNTER,
            "requests",
            "Requests of tasks for room in a tier that had none; they go on to the next tier.",
            Label.NODE_MANAGER,
            Label.TIER,
            Label.CAUSE),

    CACHE_HITS(
            "cache_hits_total",
            Type.COUNTER,
            "pieces",
            "Pieces of map outputs on disk sent from the cache."),
    CACHE_MISSES(
            "cache_misses_total",
            Type.COUNTER,
            "pieces",
            "Pieces of map outputs on disk sent from the file."),
    CACHE_READ_AHEAD(
            "cache_read_ahead_bytes_total",
            Type.COUNTER,
            "bytes",
            "Bytes read ahead into the cache."),
    CACHE_EVICTED_UNREAD(
            "cache_evicted_unread_bytes_total",
            Type.COUNTER,
            "bytes",
            "Bytes that left the cache before a reducer asked for them."),
    CACHE_BYTES("cache_bytes", Type.GAUGE, "bytes", "Memory that the cache takes now."),

    MEMORY_CAPACITY(
            Set.of(Publisher.NODE_PROCESS),
            "memory_capacity_bytes",
            Type.GAUGE,
            "bytes",
            "Memory that the node process gives to map outputs of all hosts."),
    MEMORY_USED(
            Set.of(Publisher.NODE_PROCESS),
            "memory_used_bytes",
            Type.GAUGE,
            "bytes",
            "Bytes of that memory in use."),
    MEMORY_OUTPUTS(
            Set.of(Publisher.NODE_PROCESS),
            "memory_outputs",
            Type.GAUGE,
            "outputs",
            "Map outputs in that memory, those on their way included."),
    MEMORY_PUTS(
            Set.of(Publisher.NODE_PROCESS),
            "memory_puts_total",
            Type.COUNTER,
            "pieces",
            "Pieces of map outputs taken into that memory."),
    MEMORY_PUT_BYTES(
            Set.of(Publisher.NODE_PROCESS),
            "memory_put_bytes_total",
            Type.COUNTER,
            "bytes",
            "Bytes of those pieces."),
    MEMORY_PUTS_REFUSED(
            Set.of(Publisher.NODE_PROCESS),
            "memory_puts_refused_total",
            Type.COUNTER,
            "pieces",
            "Pieces and commits that were not taken, by cause.",
            Label.CAUSE),
    MEMORY_COMMITS(
            Set.of(Publisher.NODE_PROCESS),
            "memory_commits_total",
            Type.COUNTER,
            "outputs",
            "Map outputs that became whole there, or were committed again."),
    MEMORY_ABORTS(
            Set.of(Publisher.NODE_PROCESS),
            "memory_aborts_total",
            Type.COUNTER,
            "outputs",
            "Map outputs that their maps have given up before they were whole: these went to the"
                    + " tiers of the map's host, or the map was ended."),

    PLACEMENT_ANSWERED(
            Set.of(Publisher.NODE_PROCESS),
            "placement_answered",
            Type.GAUGE,
            "0 or 1",
            "1 where the placement service has answered the node process's last report."),
    PLACEMENT_NODES(
            Set.of(Publisher.NODE_PROCESS),
            "placement_nodes",
            Type.GAUGE,
            "nodes",
            "Nodes that report to this placement service; this and what follows where the node"
                    + " process is the service."),
    PLACEMENT_JOBS(
            Set.of(Publisher.NODE_PROCESS),
            "placement_jobs",
            Type.GAUGE,
            "jobs",
            "Jobs that it knows."),
    PLACEMENT_CAPACITY(
            Set.of(Publisher.NODE_PROCESS),
            "placement_capacity_bytes",
            Type.GAUGE,
            "bytes",
            "Memory that all nodes give to map outputs."),
    PLACEMENT_USED(
            Set.of(Publisher.NODE_PROCESS),
            "placement_used_bytes",
            Type.GAUGE,
            "bytes",
            "Bytes of that memory in use."),
    PLACEMENT_LEASED(
            Set.of(Publisher.NODE_PROCESS),
            "placement_leased_bytes",
            Type.GAUGE,
            "bytes",
            "Bytes of leases whose outputs are not whole yet."),
    PLACEMENT_LEASES(
            Set.of(Publisher.NODE_PROCESS),
            "placement_leases",
            Type.GAUGE,
            "places",
            "Those leases."),
    PLACEMENT_OUTPUTS(
            Set.of(Publisher.NODE_PROCESS),
            "placement_outputs",
            Type.GAUGE,
            "outputs",
            "Map outputs that all nodes hold, each copy once."),
    PLACEMENT_GRANTED(
            Set.of(Publisher.NODE_PROCESS),
            "placement_granted_total",
            Type.COUNTER,
            "places",
            "Places for map outputs leased."),
    PLACEMENT_REFUSED(
            Set.of(Publisher.NODE_PROCESS),
            "placement_refused_total",
            Type.COUNTER,
            "places",
            "Places that maps asked for and did not get, by cause: these outputs stay on the hosts"
                    + " of their maps.",
            Label.CAUSE);

    /** What the names in Prometheus begin with; as a record, the name in Hadoop's metrics. */
    public static final String RECORD = "Spillway";

    /** Who publishes a metric. */
    public enum Publisher {
        /** The handler in a NodeManager. */
        NODE_MANAGER,
        /** The node process. */
        NODE_PROCESS
    }

    /** How a value changes. */
    public enum Type {
        /** Up and down. */
        GAUGE,
        /** Only up, from the start on. */
        COUNTER;

        /** As Prometheus has it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What tells a metric's values apart: a label in Prometheus, a tag in Hadoop. */
    public enum Label {
        /** The way of the bytes: tcp, ucx, mpi or http. */
        TRANSPORT,
        /** The NodeManager, by the name that its folders have. */
        NODE_MANAGER,
        /** The tier. */
        TIER,
        /** Why something happened. */
        CAUSE,
        /** Where bytes were. */
        SOURCE;

        /** The label's name. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace("_", "");
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
    private final Set<Publisher> publishers;

    private final String name;
    private final Type type;
    private final String unit;
    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<Label> labels;

    NodeMetric(
            final String name,
            final Type type,
            final String unit,
            final String help,
            final Label... labels) {
        this(Set.of(Publisher.values()), name, type, unit, help, labels);
    }

    NodeMetric(
            final Set<Publisher> publishers,
            final String name,
            final Type type,
            final String unit,
            final String help,
            final Label... labels) {
        this.publishers = publishers;
        this.name = name;
        this.type = type;
        this.unit = unit;
        this.help = help;
        this.labels = List.of(labels);
    }

    /** All that one of the two publishes. */
    public static Set<NodeMetric> of(final Publisher publisher) {
        return Stream.of(values())
                .filter(metric -> metric.publishers.contains(publisher))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Who publishes it. */
    public Set<Publisher> publishers() {
        return publishers;
    }

    /** The whole name in Prometheus. */
    public String prometheusName() {
        return RECORD.toLowerCase(Locale.ROOT) + "_" + name;
    }

    /** The name in a record {@value #RECORD} of Hadoop's metrics. */
    public String hadoopName() {
        return Stream.of(name.split("_", -1))
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
    }

    /** How it changes. */
    public Type type() {
        return type;
    }

    /** What it counts. */
    public String unit() {
        return unit;
    }

    /** One line of documentation. */
    public String help() {
        return help;
    }

    /** What tells its values apart, in their order. */
    public List<Label> labels() {
        return labels;
    }
}
