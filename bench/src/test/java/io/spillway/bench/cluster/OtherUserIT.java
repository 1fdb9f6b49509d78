package io.spillway.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.bench.compare.ComparisonResult;
import io.spillway.bench.compare.OutputCheck;
import io.spillway.bench.compare.Workload;
import io.spillway.bench.engine.Engine;
import io.spillway.bench.run.JobFigures;
import io.spillway.bench.site.HadoopSite;
import io.spillway.report.ShuffleFigure;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tasks that run as another user than the NodeManager, by Hadoop's LinuxContainerExecutor with a
 * stand-in for its setuid program. The NodeManagers are root without the privilege to read what
 * file modes do not let it read: as any user, they depend on the group of the tasks' files.
 */
class OtherUserIT {
    private static final String USER = "nobody";
    private static final String EXECUTOR = "yarn.nodemanager.linux-container-executor.";
    private static final List<String> AS_ANY_USER =
            List.of("/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search");

    @TempDir private static Path folder;
    private static LocalCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        assumeThat(Path.of(AS_ANY_USER.get(0))).isExecutable();
        Path way = Clusters.work().root().toRealPath();
        for (; way != null; way = way.getParent()) {
            assumeThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(way)))
                    .as("whether all users may enter %s", way)
                    .endsWith("x");
        }
        cluster =
                Clusters.start(
                        ClusterSpec.defaults()
                                .withName("it-users")
                                .withFileSystem(ClusterSpec.FileSystemKind.HDFS)
                                // Of HDFS a super-user: its users share folders here.
                                .withProperties(Map.of("dfs.permissions.superusergroup", group())));
        final Map<String, String> executor =
                Map.of(
                        "yarn.nodemanager.container-executor.class",
                        "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
                        EXECUTOR + "path",
                        writeExecutor(),
                        EXECUTOR + "group",
                        "root",
                        EXECUTOR + "nonsecure-mode.limit-users",
                        "false");
        for (int node = 0; node < cluster.spec().nodes(); node++) {
            cluster.killNodeManager(node);
            cluster.restartNodeManager(node, executor, AS_ANY_USER);
        }
    }

    private static String group() throws IOException {
        final Process id = new ProcessBuilder("id", "-gn", USER).start();
        return new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private static String writeExecutor() throws IOException {
        final Path file = folder.resolve("container-executor");
        try (InputStream in = OtherUserIT.class.getResourceAsStream("container-executor")) {
            Files.copy(in, file);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file.toString();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.stop(true);
        }
    }

    /** The cluster as clients of that user see it. */
    private static HadoopSite asUser() {
        return (HadoopSite)
                Proxy.newProxyInstance(
                        HadoopSite.class.getClassLoader(),
                        new Class<?>[] {HadoopSite.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("clientEnvironment")) {
                                final Map<String, String> all =
                                        new HashMap<>(cluster.clientEnvironment());
                                all.put("HADOOP_USER_NAME", USER);
                                return all;
                            }
                            try {
                                return method.invoke(cluster, arguments);
                            } catch (final InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    @Test
    void outputsOfAnotherUserAreServed() throws IOException {
        final ComparisonResult result =
                Clusters.compare(
                        cluster,
                        asUser(),
                        Workload.SORT,
                        16L << 20,
                        OutputCheck.NONE,
                        Map.of("mapreduce.task.io.sort.mb", "2"),
                        Engine.SPILLWAY);
        final JobFigures job = Clusters.spillwayRun(result);

        assertThat(result.disagreements()).isEmpty();
        assertThat(Clusters.figure(job, ShuffleFigure.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(Clusters.figure(job, ShuffleFigure.FETCH_HTTP_BYTES)).isZero();
        assertThat(Clusters.figure(job, ShuffleFigure.STOCK_FALLBACKS)).isZero();
        // The memory tier is for tasks of the NodeManager's own user.
        assertThat(Clusters.figure(job, ShuffleFigure.OUTPUT_MEMORY_BYTES)).isZero();
        assertThat(Clusters.figure(job, ShuffleFigure.OUTPUT_DISK_BYTES)).isPositive();
        assertTasksWereTheUsers(job.jobId());
    }

    private static void assertTasksWereTheUsers(final String jobId) throws IOException {
        final List<Path> logs = cluster.taskLogs(jobId);
        assertThat(logs).isNotEmpty();
        for (final Path log : logs) {
            assertThat(Files.getOwner(log).getName()).as(log.toString()).isEqualTo(USER);
        }
        try (Stream<Path> caches = Files.list(cluster.nodeFolder(0).resolve("local/usercache"))) {
            assertThat(caches.map(path -> path.getFileName().toString())).contains(USER);
        }
    }
}
