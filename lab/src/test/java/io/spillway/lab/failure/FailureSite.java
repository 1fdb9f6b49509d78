// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.Engine;
import io.spillway.cli.run.FailureReport;
import io.spillway.cli.run.JobClient;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobListener;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.cluster.Clusters;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.lab.cluster.SharedDirectory;
import io.spillway.lab.cluster.StartListener;
import io.spillway.lab.hosts.HostLink;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * The cluster that all failure tests share, their data, and what stock Hadoop makes of it. Node
 * {@link #STOCK_NODE} has the stock handler and no jar of ours; the others have Spillway's. It is
 * stopped when the JVM ends: of several JVMs side by side, each runs one class after the other as a
 * test plan of its own, and a JUnit store ends with its plan.
 */
final class FailureSite {
    static final int NODES = 3;

    /** Maps that do not wait at the gate. */
    static final int DATA_MAPS = 6;

    /** The job's map progress when all of them, and not the one at the gate, have ended. */
    static final int DATA_MAPS_PERCENT = 100 * DATA_MAPS / (DATA_MAPS + 1);

    static final int STOCK_NODE = 0;

    /** Of a job that does not ask for another number. */
    static final int REDUCERS = 2;

    static final String JOB_REDUCES = "mapreduce.job.reduces";

    private static final Duration HISTORY_PATIENCE = Duration.ofMinutes(2);
    private static final int TASK_HEAP_MB = 256;
    private static final int LINE_LENGTH = 100;

    /** The lines of an input file, but of that of the map that waits. */
    static final int LINES = 30_000;

    /** The bytes of an input file, but of that of the map that waits. */
    static final int FILE_LENGTH = LINES * LINE_LENGTH;

    /** For tests in which it does not matter how many maps there are. */
    static final Map<String, String> FEW_MAPS =
            Map.of(
                    "mapreduce.job.inputformat.class",
                    "org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat",
                    "mapreduce.input.fileinputformat.split.maxsize",
                    String.valueOf(DATA_MAPS / 2 * FILE_LENGTH));

    /** Jobs whose JVMs use no archive of class data, and none of its jars. */
    static final Map<String, String> PLAIN_JVMS = Clusters.quick(TASK_HEAP_MB);

    /** Starts the site when it is first asked for. */
    private static final class Holder {
        private static final FailureSite SITE = start("it-failure", Duration.ofSeconds(8));

        static {
            SITE.jvmOptions.putAll(SharedClasses.jobProperties(SITE.cluster));
        }
    }

    private final AtomicInteger sequence = new AtomicInteger();
    private final LocalCluster cluster;

    /** The shared directory; null where only the hosts see it. */
    private final Path shared;

    private final Path folder;
    private final Path jar;
    private final Path input;

    /** The properties of jobs that hold the options of their JVMs. */
    private final Map<String, String> jvmOptions = new TreeMap<>(PLAIN_JVMS);

    /** Stock Hadoop's output, by the number of reducers. */
    private final Map<Integer, Path> expected = new TreeMap<>();

    private FailureSite(final LocalCluster cluster, final Path shared) throws IOException {
        this.cluster = cluster;
        this.shared = shared;
        this.folder = Path.of(cluster.dataFolder());
        this.jar = writeJar(folder.resolve("gated-sort.jar"));
        this.input = writeInput(folder.resolve("in"));
    }

    /** The site, which the first call starts. */
    static FailureSite ofThisJvm() {
        return Holder.SITE;
    }

    /**
     * Starts another one, which ends with this JVM at the latest.
     *
     * @param silence after which YARN regards a NodeManager as lost, and runs its maps again
     */
    static FailureSite start(final String name, final Duration silence) {
        final Path shared = newSharedDirectory(name);
        return start(
                spec(name, silence)
                        .withNodes(NODES)
                        .withStockNodes(1)
                        .withOwnHosts()
                        .withProperties(Map.of("spillway.store.lustre.dir", shared.toString())),
                shared);
    }

    /**
     * Starts a site whose nodes are emulated hosts with a distributed file system, all of them with
     * Spillway's handler.
     *
     * @param silence after which YARN regards a NodeManager as lost, and runs its maps again
     */
    static FailureSite startOverDistributedFs(final String name, final Duration silence) {
        final FailureSite site =
                start(
                        spec(name, silence)
                                .withEmulatedHosts(NODES, HostLink.NONE)
                                .withSharedDirectory(SharedDirectory.DISTRIBUTED),
                        null);
        site.jvmOptions.putAll(SharedClasses.jobProperties(site.cluster));
        return site;
    }

    private static ClusterSpec spec(final String name, final Duration silence) {
        final Map<String, String> properties = new TreeMap<>(PLAIN_JVMS);
        properties.put(
                "yarn.nm.liveness-monitor.expiry-interval-ms", String.valueOf(silence.toMillis()));
        // How long an ApplicationMaster tries to stop containers of a node that is gone.
        properties.put("yarn.client.nodemanager-connect.max-wait-ms", "2000");
        // One container a heartbeat and node: maps are spread over all nodes.
        properties.put(
                "yarn.scheduler.capacity.per-node-heartbeat.maximum-container-assignments", "1");
        return ClusterSpec.defaults()
                .withName(name + "-" + ProcessHandle.current().pid())
                .withSlots(2 * NODES)
                .withHeapMb(TASK_HEAP_MB)
                .withProperties(properties);
    }

    private static FailureSite start(final ClusterSpec spec, final Path shared) {
        final LocalCluster cluster =
                LocalCluster.start(Clusters.work(), spec, StartListener.NONE, note -> {});
        try {
            final FailureSite site = new FailureSite(cluster, shared);
            final Thread stopper = new Thread(() -> cluster.stop(true), "cluster-stopper");
            Runtime.getRuntime().addShutdownHook(stopper);
            site.expected(REDUCERS);
            return site;
        } catch (final IOException | RuntimeException | Error e) {
            cluster.stop(true);
            throw new IllegalStateException("the failure tests' cluster is of no use", e);
        }
    }

    /** All nodes and jobs know it; only jobs that ask for it put their map outputs there. */
    private static Path newSharedDirectory(final String name) {
        final String unique = name + "-" + ProcessHandle.current().pid() + "-shared";
        try {
            return Files.createDirectories(Path.of("target", unique).toAbsolutePath());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The directory of map outputs that all hosts share, where this machine sees it. */
    Path sharedDirectory() {
        return shared;
    }

    /**
     * What stock Hadoop makes of the data, computed once for each number of reducers. In one
     * process: most of such a job's time on a cluster is starting JVMs.
     */
    synchronized Path expected(final int reducers) {
        return expected.computeIfAbsent(reducers, this::runStock);
    }

    private Path runStock(final int reducers) {
        final HadoopSite local = singleProcess();
        final Path output = newPath("expected");
        final Map<String, String> properties = Map.of(JOB_REDUCES, String.valueOf(reducers));
        assertSucceeded(local, run(local, stock(output).with(properties)));
        return output;
    }

    LocalCluster cluster() {
        return cluster;
    }

    /** The folder for temporary files of the cluster's daemons. */
    Path temporary() {
        return Clusters.work().cluster(cluster.spec().name()).resolve("tmp");
    }

    /** A path below the cluster's folder that is not in use. */
    Path newPath(final String name) {
        return folder.resolve(sequence.incrementAndGet() + "-" + name);
    }

    // ---- jobs ----------------------------------------------------------------------------------

    private JobSpec spec(final Path output, final Engine engine) {
        return new JobSpec(
                        "gated-sort",
                        new JobSpec.Program.Jar(jar),
                        List.of(input.toString(), output.toString()),
                        engine,
                        Map.of(),
                        List.of())
                .with(jvmOptions)
                .with(
                        Map.of(
                                JOB_REDUCES,
                                String.valueOf(REDUCERS),
                                "mapreduce.task.io.sort.mb",
                                "32",
                                "mapreduce.map.speculative",
                                "false",
                                "mapreduce.reduce.speculative",
                                "false"));
    }

    /** The job with Spillway. */
    JobSpec spillway(final Path output) {
        return spec(output, Engine.SPILLWAY);
    }

    /** The job with Hadoop's own engine. */
    JobSpec stock(final Path output) {
        return spec(output, Engine.STOCK);
    }

    /** Hadoop's LocalJobRunner. */
    HadoopSite singleProcess() {
        final WorkFolder work = Clusters.work();
        return new SingleProcess(
                work,
                HadoopRuntime.resolve(work, cluster.hadoopVersion(), note -> {}),
                PlugIn.ofThisBuild());
    }

    /** Runs the job with Spillway to its end, compares its output, and gives its figures. */
    JobFigures runAndCompare(final Map<String, String> properties) {
        final Path output = newPath("out");
        final JobResult result = cluster.submit(spillway(output).with(properties));
        assertSucceeded(cluster, result);
        assertEqualsStock(output, reducers(properties));
        return figures(result);
    }

    /** The options of a job's JVMs, by the property that holds them. */
    String jvmOptions(final String property) {
        return jvmOptions.get(property);
    }

    /** How many reducers a job with these properties has. */
    static int reducers(final Map<String, String> properties) {
        return Integer.parseInt(properties.getOrDefault(JOB_REDUCES, String.valueOf(REDUCERS)));
    }

    JobResult run(final HadoopSite site, final JobSpec spec) {
        return new JobClient(site).run(spec, JobListener.NONE);
    }

    JobFigures figures(final JobResult result) {
        return cluster.history().job(result.lastJobId(), HISTORY_PATIENCE);
    }

    static void assertSucceeded(final HadoopSite site, final JobResult result) {
        assertThat(result.succeeded())
                .withFailMessage(() -> new FailureReport(site).describe("the job", result))
                .isTrue();
    }

    void assertEqualsStock(final Path output, final int reducers) {
        assertSameParts(output, expected(reducers));
        assertThat(parts(output)).hasSize(reducers);
    }

    /** Whether files of a job are in the nodes' memory, or were a moment ago. */
    boolean hasInMemory(final String jobId) {
        final Optional<Path> memory = cluster.memoryFolder();
        if (memory.isEmpty()) {
            return false;
        }
        final String application = jobId.replaceFirst("^job_", "application_");
        try (Stream<Path> files = Files.walk(memory.get())) {
            return files.filter(Files::isRegularFile)
                    .anyMatch(file -> file.toString().contains(application));
        } catch (final IOException | UncheckedIOException e) {
            return true; // a file was deleted under our eyes
        }
    }

    /** Byte by byte: keys are unique, so there is one right order. */
    static void assertSameParts(final Path actual, final Path expected) {
        final List<Path> parts = parts(expected);
        assertThat(parts).isNotEmpty();
        assertThat(parts(actual)).hasSameSizeAs(parts);
        for (final Path part : parts) {
            assertThat(part).isNotEmptyFile();
            assertThat(actual.resolve(part.getFileName())).hasSameBinaryContentAs(part);
        }
    }

    /** The lines of an output, part by part. */
    static List<List<String>> lines(final Path output) {
        return parts(output).stream().map(FailureSite::linesOf).toList();
    }

    /** The lines of all input files, in no order. */
    List<String> inputLines() {
        try (Stream<Path> files = Files.list(input)) {
            return files.flatMap(file -> linesOf(file).stream()).toList();
        } catch (final IOException e) {
            throw new AssertionError("no input " + input, e);
        }
    }

    private static List<String> linesOf(final Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (final IOException e) {
            throw new AssertionError("cannot read " + file, e);
        }
    }

    private static List<Path> parts(final Path output) {
        try (Stream<Path> files = Files.list(output)) {
            return files.filter(file -> file.getFileName().toString().startsWith("part-"))
                    .sorted()
                    .toList();
        } catch (final IOException e) {
            throw new AssertionError("no output " + output, e);
        }
    }

    // ---- logs ----------------------------------------------------------------------------------

    /** The lines of all task logs of a job that hold a text. */
    List<String> taskLogLines(final String jobId, final String text) {
        return cluster.taskLogs(jobId).stream().flatMap(log -> lines(log, text).stream()).toList();
    }

    /** The lines of a NodeManager's log that hold a text. */
    List<String> nodeLogLines(final int node, final String text) {
        return lines(cluster.nodeLog(node), text);
    }

    private static List<String> lines(final Path log, final String text) {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.contains(text)).toList();
        } catch (final IOException e) {
            throw new AssertionError("cannot read " + log, e);
        }
    }

    // ---- data ----------------------------------------------------------------------------------

    private static Path writeInput(final Path target) throws IOException {
        Files.createDirectories(target);
        final Random random = new Random(20_240_611);
        for (int file = 0; file < DATA_MAPS; file++) {
            writeLines(target.resolve("data-" + file), LINES, random);
        }
        writeLines(target.resolve(GatedSort.GATE_INPUT), 100, random);
        return target;
    }

    private static void writeLines(final Path file, final int lines, final Random random)
            throws IOException {
        final byte[] text = new byte[lines * LINE_LENGTH];
        for (int i = 0; i < text.length; i++) {
            final boolean isEnd = i % LINE_LENGTH == LINE_LENGTH - 1;
            text[i] = (byte) (isEnd ? '\n' : '0' + random.nextInt(64));
        }
        Files.write(file, text);
    }

    private static Path writeJar(final Path target) throws IOException {
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, GatedSort.class.getName());
        try (OutputStream file = Files.newOutputStream(target);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            for (final Class<?> type :
                    List.of(
                            GatedSort.class,
                            GatedSort.CuttingMapper.class,
                            GatedSort.UncheckedFiles.class,
                            GatedSort.WaitingReducer.class)) {
                final String name = type.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(name));
                try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
                    in.transferTo(out);
                }
                out.closeEntry();
            }
        }
        return target;
    }
}
