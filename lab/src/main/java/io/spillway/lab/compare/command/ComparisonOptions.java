// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.JobOptions;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.TransportOptions;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.run.Engine;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterMemoryNodes;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.workload.SuiteWorkload;
import io.spillway.lab.compare.workload.Workloads;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.place.ClusterOptions;
import io.spillway.lab.place.PlaceOptions;
import io.spillway.lab.place.ServedTransport;
import io.spillway.lab.place.Sites;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What to compare, but for the size: options of compare and of scale. */
final class ComparisonOptions {
    @Mixin private WorkOptions work;
    @Mixin private ClusterOptions clusterOptions;
    @Mixin private JobOptions jobOptions;
    @Mixin private TransportOptions transport;
    @Mixin private PlaceOptions place;

    @Parameters(paramLabel = "WORKLOAD", description = "${bundle:" + WorkloadTexts.CHOICES + "}.")
    private String workload;

    @Option(
            names = "--engines",
            paramLabel = "NAMES",
            defaultValue = "stock,spillway",
            description =
                    "Engines: stock; stock-tuned (its sort buffer holds a map's output, merge"
                        + " factor 100); central-disk (stock, what is between map and reduce on an"
                        + " emulated disk of all hosts, bench.central-disk.rate bytes a second);"
                        + " stock-lustre (stock, its local directories on --shared-fs); spillway,"
                        + " as it is installed; auto, rdma, rdma-nvm, hadoop-a (its modes); static"
                        + " (auto with windows of one size); ramdisk, every-node, dedicated (map"
                        + " output in the memory of the map's host, of all hosts, of memory nodes);"
                        + " lustre-rdma, lustre-read, lustre (map output on --shared-fs: fetched"
                        + " from nodes, read there, or the faster of both). An engine with @ and a"
                        + " transport behind it, as rdma@ucx, fetches with that one; with + and a"
                        + " property, as auto+shuffle.prefetch=false, has it alone. Ratios are the"
                        + " first to the others (default: ${DEFAULT-VALUE}).")
    private String engines;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description = "Runs of each engine (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Trace that swim replays, in SWIM's format of six columns (default: a"
                            + " small generated trace).")
    private Path trace;

    @Option(names = "--warmup", description = "One run of each engine first that does not count.")
    private boolean warmUp;

    @Option(
            names = "--maps",
            paramLabel = "M",
            description = "Number of maps (default: one for 256m, at least 4).")
    private Integer maps;

    @Option(
            names = "--reduces",
            paramLabel = "R",
            defaultValue = "2",
            description = "Number of reduces (default: ${DEFAULT-VALUE}).")
    private int reduces;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = ClusterSpec.DEFAULT_NAME,
            description = "Local cluster to use if it runs (default: ${DEFAULT-VALUE}).")
    private String name;

    @Option(
            names = "--cds",
            description =
                    "Gives the JVMs of all jobs, the copy's too, one archive of class data, as"
                            + " spillway cds does; it is made before, by small jobs that do not"
                            + " count.")
    private boolean classData;

    @Option(names = "--keep-logs", description = "Leaves the logs of a cluster started for this.")
    private boolean keepLogs;

    @Option(
            names = "--resume",
            description =
                    "Goes on with a comparison that was stopped, by Ctrl-C, a failure or a power"
                            + " cut: --out names its results, and everything else has to be as it"
                            + " was. What has run is not run again.")
    private boolean resume;

    WorkFolder folder() {
        return work.folder();
    }

    /**
     * What lets a comparison go on after a stop.
     *
     * @param results its file
     * @throws BadInputException where it cannot go on as it is asked to
     */
    Resumption resumption(final Path results, final Comparison.Plan plan) {
        return Resumption.of(
                results, resume, Conditions.of(plan, classData, WorkOptions.repository()));
    }

    /**
     * Refuses to go on with results that are not named.
     *
     * @param out what --out gives, or null
     */
    void requireNamed(final Path out) {
        if (resume && out == null) {
            throw new BadInputException(
                    "--resume: expected --out, with the results of what was stopped");
        }
    }

    /** What to compare at one size of input. */
    Comparison.Plan plan(final long size) {
        return new Comparison.Plan(
                Workloads.named(workload),
                size,
                EngineConfig.parseAll(engines),
                repeat,
                warmUp,
                maps == null ? Comparison.Plan.mapsFor(size) : maps,
                reduces,
                transport.with(properties()));
    }

    private Map<String, String> properties() {
        if (trace == null) {
            return jobOptions.properties();
        }
        if (!Files.isReadable(trace)) {
            throw new BadInputException("--trace " + trace + ": expected a file that can be read");
        }
        final Map<String, String> all = new TreeMap<>(jobOptions.properties());
        all.put(SuiteWorkload.TRACE, trace.toAbsolutePath().toString());
        return all;
    }

    /**
     * Opens the place where jobs run.
     *
     * @param purpose names a new cluster
     */
    ComparisonSession open(final String purpose, final Screen screen) {
        final WorkFolder folder = folder();
        return new ComparisonSession(
                folder,
                new Sites(folder, screen)
                        .open(place.place(), name, clusterOptions, purpose, this::serve, keepLogs),
                screen,
                place,
                classData);
    }

    /** A cluster that can serve all engines and transports that are asked for. */
    private ClusterSpec serve(final ClusterSpec cluster) {
        ClusterSpec able = ServedTransport.of(transport.given(), cluster);
        for (final String name : transportsOfContenders()) {
            able = ServedTransport.of(name, able);
        }
        if (isAnyEngine(Engine::needsMemoryNodes) && !able.memory().any()) {
            able = able.withMemory(ClusterMemoryNodes.ONE);
        }
        if (isAnyEngine(Engine::needsSharedDirectory) && !able.sharedDirectory().any()) {
            throw new BadInputException(
                    "--engines " + engines + ": expected --shared-fs beside it");
        }
        if (isAnyEngine(Engine.STOCK_LUSTRE::equals)) {
            able = able.withSharedDirectory(able.sharedDirectory().withLocalDirs());
        }
        return able;
    }

    private boolean isAnyEngine(final Predicate<Engine> condition) {
        return EngineConfig.parseAll(engines).stream()
                .map(EngineConfig::engine)
                .anyMatch(condition);
    }

    private List<String> transportsOfContenders() {
        return EngineConfig.parseAll(engines).stream()
                .flatMap(contender -> contender.transport().stream())
                .distinct()
                .toList();
    }
}
