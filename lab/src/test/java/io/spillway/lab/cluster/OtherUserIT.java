// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.WorkFolder;
import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.compare.workload.SortWorkload;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.transport.ucx.UcxProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that run as another user than the NodeManager ({@link ContainerExecutor}). */
class OtherUserIT {
    private static final String USER = "nobody";

    private static final EngineConfig STOCK = EngineConfig.of(Engine.STOCK);
    private static final EngineConfig OVER_TCP = EngineConfig.parse("spillway@tcp");
    private static final EngineConfig OVER_UCX = EngineConfig.parse("spillway@ucx");
    private static final EngineConfig TO_DISK =
            EngineConfig.parse("spillway@tcp+spillway.output.tiers=disk");
    private static final boolean HAS_UCX = new UcxProvider().obstacle(name -> null).isEmpty();

    /** UCX cannot share memory between users; sockets stand for RDMA, which has no users. */
    private static final String UCX_TLS = "spillway.ucx.tls";

    private static final String SOCKETS = "tcp";

    /** What jobs leave stays so long: as long as the cluster lives. */
    private static final String KEEP_SECONDS = "3600";

    private static final String CAPABILITIES = "CapEff:";

    /** CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, of capability(7). */
    private static final long READ_ALL = 1 << 1 | 1 << 2;

    @TempDir private static Path folder;
    private static WorkFolder work;
    private static JarCopy plugIn;
    private static LocalCluster cluster;
    private static ComparisonResult result;

    @BeforeAll
    static void start() throws IOException {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        assumeThat(Path.of(ContainerExecutor.AS_ANY_USER.get(0))).isExecutable();
        work =
                new WorkFolder(
                        Clusters.folderForAll("spillway-users-"), Clusters.work().repository());
        Clusters.copyHadoop(ClusterSpec.defaults().hadoopVersion(), work);
        plugIn = JarCopy.use();
        cluster =
                Clusters.start(
                        work,
                        ClusterSpec.defaults()
                                .withName("it-users")
                                .withFileSystem(ClusterSpec.FileSystemKind.HDFS)
                                .withProperties(ContainerExecutor.properties(folder))
                                .withProperties(properties()),
                        ContainerExecutor.AS_ANY_USER);
        for (int node = 0; node < cluster.spec().nodes(); node++) {
            assertCannotReadAll(node);
        }
        result = compare();
    }

    private static Map<String, String> properties() throws IOException {
        return Map.of(
                // Of HDFS a super-user: its users share folders here.
                "dfs.permissions.superusergroup",
                group(),
                "yarn.nodemanager.delete.debug-delay-sec",
                KEEP_SECONDS,
                "spillway.node.launch",
                "true",
                "spillway.node.heap",
                "64m",
                UCX_TLS,
                SOCKETS);
    }

    /** Otherwise the modes of the tasks' files would make no difference. */
    private static void assertCannotReadAll(final int node) throws IOException {
        final long pid =
                cluster.status().daemons().stream()
                        .filter(daemon -> daemon.name().equals(DaemonLauncher.nodeName(node)))
                        .findFirst()
                        .flatMap(ClusterStatus.Daemon::pid)
                        .orElseThrow();
        final String effective =
                Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                        .filter(line -> line.startsWith(CAPABILITIES))
                        .findFirst()
                        .orElseThrow();
        final long bits =
                Long.parseUnsignedLong(effective.substring(CAPABILITIES.length()).strip(), 16);
        assertThat(bits & READ_ALL).as(effective).isZero();
    }

    private static String group() throws IOException {
        final Process id = new ProcessBuilder("id", "-gn", USER).start();
        return new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    @AfterAll
    static void stop() throws IOException {
        if (cluster != null) {
            cluster.stop(true);
        }
        if (plugIn != null) {
            plugIn.close();
        }
        if (work != null) {
            WorkFolder.deleteTree(work.root());
        }
    }

    /** The cluster as clients of that user see it. */
    private static HadoopSite asUser() {
        final Map<String, String> environment = new HashMap<>(cluster.clientEnvironment());
        environment.put("HADOOP_USER_NAME", USER);
        return Clusters.seen(cluster, Map.of("clientEnvironment", environment));
    }

    private static ComparisonResult compare() {
        return Clusters.compare(
                cluster,
                asUser(),
                new SortWorkload(),
                16L << 20,
                OutputCheck.NONE,
                Map.of(
                        "mapreduce.task.io.sort.mb",
                        "2",
                        // Keys of which a reducer holds too few for one merge of all maps.
                        "spillway.bench.random.key.min",
                        "60000",
                        "spillway.bench.random.key.max",
                        "65000",
                        "spillway.shuffle.buffer.bytes",
                        "512k",
                        UCX_TLS,
                        SOCKETS),
                HAS_UCX
                        ? List.of(STOCK, OVER_TCP, TO_DISK, OVER_UCX)
                        : List.of(STOCK, OVER_TCP, TO_DISK),
                Monitor.NONE);
    }

    @Test
    void theOutputIsThatOfStock() {
        assertThat(result.disagreements()).isEmpty();
    }

    @Test
    void outputsOfAnotherUserAreServed() throws IOException {
        final JobFigures job = runOf(OVER_TCP);

        assertServedBySpillway(job);
        assertInMemory(job);
        assertThat(Clusters.figure(job, ShuffleCounter.FETCH_UCX_BYTES)).isZero();
        assertTasksWereTheUsers(job.jobId());
        assertOutputsAreTheUsers(job.jobId());
    }

    @Test
    void outputsOnDiskAreServed() throws IOException {
        final JobFigures job = runOf(TO_DISK);

        assertServedBySpillway(job);
        assertThat(Clusters.figure(job, ShuffleCounter.OUTPUT_MEMORY_BYTES)).isZero();
        assertThat(Clusters.figure(job, ShuffleCounter.OUTPUT_DISK_BYTES)).isPositive();
        assertOutputsAreTheUsers(job.jobId());
    }

    /** Other users cannot enter the folders, and the files are deleted when the jobs end. */
    @Test
    void filesInMemoryAreTheNodes() throws Exception {
        for (int node = 0; node < cluster.spec().nodes(); node++) {
            final TierAdvertisement offered =
                    TierAdvertisement.readFrom(cluster.nodeFolder(node).resolve("local"));
            final Path folder = offered.folders().get("memory").root();
            assertThat(PosixFilePermissions.toString(attributes(folder).permissions()))
                    .isEqualTo("rwx------");
            assertThat(attributes(offered.socket().orElseThrow()).owner().getName())
                    .isEqualTo("root");
            final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!lentBelow(folder).isEmpty() && System.nanoTime() < deadline) {
                Thread.sleep(200);
            }
            assertThat(lentBelow(folder)).isEmpty();
        }
    }

    private static List<Path> lentBelow(final Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(".lent")).toList();
        } catch (final IOException | UncheckedIOException e) {
            return List.of(folder); // the node is deleting it
        }
    }

    @Test
    void theNodeProcessServesThemToo() throws IOException {
        assumeThat(HAS_UCX).as("ucx works here").isTrue();
        final JobFigures job = runOf(OVER_UCX);

        assertServedBySpillway(job);
        assertInMemory(job);
        assertThat(Clusters.figure(job, ShuffleCounter.FETCH_UCX_BYTES))
                .isEqualTo(Clusters.figure(job, ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertThat(Clusters.figure(job, ShuffleCounter.TRANSPORT_FALLBACKS)).isZero();
        assertTasksWereTheUsers(job.jobId());
        assertOutputsAreTheUsers(job.jobId());
    }

    private static JobFigures runOf(final EngineConfig contender) {
        return result.runs().stream()
                .filter(run -> run.engine().equals(contender))
                .findFirst()
                .orElseThrow()
                .figures();
    }

    private static void assertServedBySpillway(final JobFigures job) {
        assertThat(Clusters.figure(job, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(Clusters.figure(job, ShuffleCounter.FETCH_HTTP_BYTES)).isZero();
        assertThat(Clusters.figure(job, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        // The outputs are in files of the node, which the tasks write by descriptors.
        assertThat(Clusters.figure(job, ShuffleCounter.SPILL_MEMORY_BYTES)).isPositive();
        assertThat(Clusters.figure(job, ShuffleCounter.MERGE_TIER_BYTES)).isPositive();
        assertThat(Clusters.figure(job, ShuffleCounter.MERGE_DISK_BYTES)).isZero();
    }

    private static void assertInMemory(final JobFigures job) {
        assertThat(Clusters.figure(job, ShuffleCounter.OUTPUT_MEMORY_BYTES)).isPositive();
        assertThat(Clusters.figure(job, ShuffleCounter.OUTPUT_DISK_BYTES)).isZero();
    }

    private static void assertTasksWereTheUsers(final String jobId) throws IOException {
        final List<Path> logs = cluster.taskLogs(jobId);
        assertThat(logs).isNotEmpty();
        for (final Path log : logs) {
            assertThat(Files.getOwner(log).getName()).as(log.toString()).isEqualTo(USER);
        }
    }

    /** They lie where, beside their owner, only the NodeManager's group may look. */
    private static void assertOutputsAreTheUsers(final String jobId) throws IOException {
        final List<Path> outputs = new ArrayList<>();
        for (int node = 0; node < cluster.spec().nodes(); node++) {
            final Path cache = cluster.nodeFolder(node).resolve("local/usercache").resolve(USER);
            assertThat(cache).isDirectory();
            assertThat(attributes(cache).owner().getName()).isEqualTo(USER);
            assertThat(attributes(cache).group().getName()).isEqualTo("root");
            assertThat(PosixFilePermissions.toString(attributes(cache).permissions()))
                    .isEqualTo("rwxr-x---");
            final Path job =
                    cache.resolve("appcache").resolve(MapReduceLayout.applicationOf(jobId));
            if (Files.isDirectory(job)) {
                outputs.addAll(outputsBelow(job));
            }
        }
        assertThat(outputs).isNotEmpty();
        for (final Path output : outputs) {
            assertThat(attributes(output).isRegularFile()).as(output.toString()).isTrue();
            assertThat(attributes(output).owner().getName()).as(output.toString()).isEqualTo(USER);
        }
    }

    private static List<Path> outputsBelow(final Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.endsWith("file.out")).toList();
        }
    }

    private static PosixFileAttributes attributes(final Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }
}
