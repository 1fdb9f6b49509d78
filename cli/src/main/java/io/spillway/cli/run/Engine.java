// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.cli.failure.BadInputException;
import io.spillway.hadoop.conf.HadoopKeys;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A shuffle engine, as properties of a job. */
public enum Engine {
    /** Hadoop's own: no property at all. */
    STOCK("stock", null),
    /** Hadoop's own, with a sort buffer that holds a map's output and one merge at the reducer. */
    STOCK_TUNED("stock-tuned", null),
    /** Hadoop's own, with all that is between map and reduce on an emulated disk of all hosts. */
    CENTRAL_DISK("central-disk", null),
    /** Hadoop's own, on hosts whose local directories lie on the shared file system. */
    STOCK_LUSTRE("stock-lustre", null),
    /** Spillway's collector and shuffle as they are installed, in the mode that is its default. */
    SPILLWAY("spillway", null),
    /** Spillway in mode auto: memory first. */
    AUTO("auto", "auto"),
    /** Mode auto with windows of one size, to tell what it gains by sizing them by demand. */
    STATIC("static", "auto", Map.of("spillway.shuffle.windows", "static")),
    /** SEMem's first deployment: map output in the memory of its own host, as files. */
    RAMDISK("ramdisk", "auto", Map.of("spillway.placement", "ramdisk")),
    /** SEMem's second: map output in the memory of all hosts. */
    EVERY_NODE("every-node", "auto", Map.of("spillway.placement", "every-node")),
    /** SEMem's third: map output in the memory of hosts that run no tasks. */
    DEDICATED("dedicated", "auto", Map.of("spillway.placement", "dedicated")),
    /** Spillway in mode rdma: its own collector, spills on local disk. */
    RDMA("rdma", "rdma"),
    /** Spillway in mode rdma-nvm: spills in NVM, output on local disk. */
    RDMA_NVM("rdma-nvm", "rdma-nvm"),
    /** Spillway in mode hadoop-a: as rdma, with a levitated merge and nothing prefetched. */
    HADOOP_A("hadoop-a", "hadoop-a"),
    /** Mode rdma, spills and map outputs on the shared file system; reducers fetch from nodes. */
    LUSTRE_RDMA(
            "lustre-rdma",
            "rdma",
            Map.of(
                    "spillway.spill.tiers", "lustre",
                    "spillway.output.tiers", "lustre",
                    "spillway.transport", "tcp")),
    /** As LUSTRE_RDMA, but reducers read through the file system. */
    LUSTRE_READ(
            "lustre-read",
            "rdma",
            Map.of(
                    "spillway.spill.tiers", "lustre",
                    "spillway.output.tiers", "lustre",
                    "spillway.transport", "sharedfs")),
    /** Mode auto, outputs on the shared file system; reducers use the faster of both ways. */
    LUSTRE(
            "lustre",
            "auto",
            Map.of(
                    "spillway.spill.tiers", "memory,lustre",
                    "spillway.output.tiers", "lustre",
                    "spillway.transport", "auto"));

    private final String label;
    private final String mode;

    /** One of {@link Map#of}, which nothing changes. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final Map<String, String> more;

    Engine(final String label, final String mode) {
        this(label, mode, Map.of());
    }

    Engine(final String label, final String mode, final Map<String, String> more) {
        this.label = label;
        this.mode = mode;
        this.more = more;
    }

    /** Its name on the command line and in tables. */
    public String label() {
        return label;
    }

    /** The properties that select it for one job. */
    public Map<String, String> jobProperties() {
        if (!needsPlugIn()) {
            return Map.of();
        }
        final Map<String, String> properties = new TreeMap<>();
        properties.put(
                "mapreduce.job.map.output.collector.class",
                "io.spillway.hadoop.SpillwayCollector,"
                        + "org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
        properties.put(
                "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                "io.spillway.hadoop.SpillwayShuffle");
        if (mode != null) {
            properties.put("spillway.mode", mode);
        }
        properties.putAll(more);
        return properties;
    }

    /** Whether its jobs put map output into the memory of other nodes. */
    public boolean needsMemoryNodes() {
        return !HadoopKeys.PLACEMENT.get(more::get).staysHere();
    }

    /** Whether its jobs keep spills and map outputs on the shared file system. */
    public boolean needsSharedDirectory() {
        return this == STOCK_LUSTRE
                || more.getOrDefault("spillway.output.tiers", "").equals("lustre");
    }

    /** Whether its jobs need Spillway's jar. */
    public boolean needsPlugIn() {
        return this != STOCK && !isOfComparisons();
    }

    /** Whether only a comparison can set it up: it takes more than properties of an engine. */
    public boolean isOfComparisons() {
        return this == STOCK_TUNED || this == CENTRAL_DISK || this == STOCK_LUSTRE;
    }

    /**
     * The engine of a name.
     *
     * @throws BadInputException when there is none
     */
    public static Engine parse(final String name) {
        return Arrays.stream(values())
                .filter(engine -> engine.label.equals(name.trim().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "engine '" + name + "': expected one of " + labels()));
    }

    /** The names of all engines. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(Engine::label).toList();
    }
}
