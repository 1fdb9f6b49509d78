// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.site.BriefJvm;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.compare.workload.Workload;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** What integration tests have in common. */
public final class Clusters {
    private static final Path REPOSITORY = Path.of(System.getProperty("spillway.root", ".."));

    private static final int TASK_HEAP_MB = 512;

    private static final int MASTER_HEAP_MB = 768;

    /** Most of a short task's life is loading classes, which the test before has verified. */
    private static final String VERIFIED =
            " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

    private Clusters() {}

    /** The checkout's own work folder: Hadoop's jars are fetched once for all. */
    public static WorkFolder work() {
        return new WorkFolder(REPOSITORY.resolve(".spillway"), REPOSITORY);
    }

    /**
     * A port for a daemon that a test may start more than once: the kernel gives none of these to
     * outgoing connections.
     */
    public static int freePort() {
        return new Ports(new Random()).next();
    }

    /** A new folder that every user may enter, which a checkout's need not be. */
    static Path folderForAll(final String prefix) throws IOException {
        final Path folder = Files.createTempDirectory(prefix);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return folder;
    }

    /**
     * Properties for many small jobs: their tasks' JVMs live for seconds.
     *
     * @param heapMb of a task, in MiB
     */
    public static Map<String, String> quick(final int heapMb) {
        final String options = BriefJvm.line(heapMb) + VERIFIED;
        return Map.of(
                "mapreduce.map.java.opts", options,
                "mapreduce.reduce.java.opts", options,
                "yarn.app.mapreduce.am.command-opts", BriefJvm.line(MASTER_HEAP_MB) + VERIFIED);
    }

    /** A cluster for tests with small tasks; one that a killed run has left is stopped first. */
    static LocalCluster start(final ClusterSpec spec) {
        return start(work(), spec, List.of());
    }

    /**
     * The same, in another folder.
     *
     * @param prefix words before each daemon's command
     */
    static LocalCluster start(
            final WorkFolder work, final ClusterSpec spec, final List<String> prefix) {
        LocalCluster.attach(work, spec.name()).ifPresent(LocalCluster::close);
        final ClusterSpec small = spec.withHeapMb(TASK_HEAP_MB).withProperties(quick(TASK_HEAP_MB));
        final LocalCluster cluster = LocalCluster.define(work, small, prefix, note -> {});
        cluster.start(StartListener.NONE);
        // Daemons outlive a JVM that is ended from outside.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopIfLeft(work, cluster)));
        return cluster;
    }

    /** Copies the jars of a release to a work folder whose users may not enter the checkout. */
    static void copyHadoop(final String version, final WorkFolder target) throws IOException {
        HadoopRuntime.resolve(work(), version, note -> {});
        final Path from = work().hadoop(version);
        try (Stream<Path> tree = Files.walk(from)) {
            for (final Path each : tree.toList()) {
                Files.copy(each, target.hadoop(version).resolve(from.relativize(each).toString()));
            }
        }
    }

    /**
     * A site as some of its users see it.
     *
     * @param answers in place of the site's own, by the methods' names
     */
    static HadoopSite seen(final HadoopSite site, final Map<String, Object> answers) {
        return (HadoopSite)
                Proxy.newProxyInstance(
                        HadoopSite.class.getClassLoader(),
                        new Class<?>[] {HadoopSite.class},
                        (proxy, method, arguments) -> {
                            if (answers.containsKey(method.getName())) {
                                return answers.get(method.getName());
                            }
                            try {
                                return method.invoke(site, arguments);
                            } catch (final InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static void stopIfLeft(final WorkFolder work, final LocalCluster cluster) {
        if (LocalCluster.names(work).contains(cluster.spec().name())) {
            cluster.stop(true);
        }
    }

    /** Runs a workload with both engines on the same data. */
    static ComparisonResult compare(
            final LocalCluster cluster,
            final Workload workload,
            final long bytes,
            final OutputCheck check,
            final Map<String, String> properties) {
        return compare(cluster, workload, bytes, check, properties, Engine.SPILLWAY);
    }

    /** Runs a workload with the stock engine and others on the same data. */
    static ComparisonResult compare(
            final LocalCluster cluster,
            final Workload workload,
            final long bytes,
            final OutputCheck check,
            final Map<String, String> properties,
            final Engine... engines) {
        final List<EngineConfig> contenders =
                Stream.concat(Stream.of(Engine.STOCK), Stream.of(engines))
                        .map(EngineConfig::of)
                        .toList();
        return compare(
                cluster, cluster, workload, bytes, check, properties, contenders, Monitor.NONE);
    }

    /**
     * Runs a workload with any engines, by clients that see the cluster as a site of their own.
     *
     * @param monitor sees how far the jobs are
     */
    static ComparisonResult compare(
            final LocalCluster cluster,
            final HadoopSite site,
            final Workload workload,
            final long bytes,
            final OutputCheck check,
            final Map<String, String> properties,
            final List<EngineConfig> contenders,
            final Monitor monitor) {
        final Comparison.Plan plan =
                new Comparison.Plan(workload, bytes, contenders, 1, false, 3, 2, properties);
        return new Comparison(
                        plan,
                        new MeasuredJobs(site, monitor, job -> {}),
                        () -> sources(cluster),
                        check)
                .run(soFar -> {});
    }

    private static List<String> sources(final LocalCluster cluster) {
        return HadoopRuntime.resolve(work(), cluster.hadoopVersion(), note -> {})
                .sourceJars(note -> {})
                .stream()
                .map(Path::toString)
                .toList();
    }

    /** The figures of the run with Spillway. */
    static JobFigures spillwayRun(final ComparisonResult result) {
        return result.runs().stream()
                .filter(run -> run.engine().engine() == Engine.SPILLWAY)
                .findFirst()
                .orElseThrow()
                .figures();
    }

    /** One of Spillway's figures of a job. */
    public static long figure(final JobFigures job, final ShuffleCounter figure) {
        return job.figure(figure).total();
    }
}
