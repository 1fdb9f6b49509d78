// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.option.ShellWord;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.site.JavaCommand;
import io.spillway.host.OwnUser;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Hosts that take away what daemons and tasks could count on. A job ends as stock's does, no map
 * runs twice, no reducer goes back to the stock shuffle, and the log says what is missing.
 */
@ExtendWith(OnFailureSite.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EnvironmentIT {
    private static final int NODE = SiteNodeProcess.NODE;

    private static final Map<String, String> NODE_PROCESS =
            Map.of("spillway.node.launch", "true", "spillway.node.heap", "64m");

    private static final String REDUCE_OPTIONS = "mapreduce.reduce.java.opts";

    private static final String NOT_NOEXEC = ", expected a folder that is not mounted noexec";

    private final FailureSite site;

    EnvironmentIT(final FailureSite site) {
        this.site = site;
    }

    @BeforeAll
    void needsRootAndUcx() {
        assumeThat(OwnUser.name()).as("namespaces and mounts need root").isEqualTo("root");
        assumeTrue(SiteNodeProcess.HAS_UCX, "no ucx here");
    }

    @AfterAll
    void restore() {
        new SiteNodeProcess(site).end();
    }

    private void restart(final Map<String, String> properties, final List<String> prefix) {
        site.cluster().daemons().killNodeManager(NODE);
        site.cluster().daemons().restartNodeManager(NODE, properties, prefix);
    }

    /** What goes before a command that is to see other mounts than the rest of the host. */
    private static List<String> mounts(final String script) {
        return List.of("unshare", "--mount", "sh", "-c", script + " && exec \"$@\"", "sh");
    }

    /** A job that is to fetch over ucx from the node that is special. */
    private JobFigures run(final Map<String, String> more) {
        final Map<String, String> properties = new TreeMap<>(more);
        properties.put("spillway.transport", "ucx");
        final JobFigures figures = site.runAndCompare(properties);
        Figures.assertNothingLost(figures);
        RunningJob.awaitNothingLeft(site, figures.jobId());
        return figures;
    }

    private String reduceOptions(final String more) {
        return site.jvmOptions(REDUCE_OPTIONS) + " " + more;
    }

    /**
     * A folder to be the JAVA_HOME of tasks.
     *
     * @param command becomes the JVM, which is its last word
     */
    private Path javaHome(final List<String> command) throws IOException {
        final Path home = site.newPath("java-home");
        final Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        final List<String> words = new ArrayList<>(command);
        words.add(JavaCommand.path());
        Files.writeString(
                java, "#!/bin/sh\n: >>\"$0.used\"\nexec " + ShellWord.line(words) + " \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }

    private static void assertUsed(final Path javaHome) {
        assertThat(javaHome.resolve("bin/java.used")).exists();
    }

    /** A node process beside the NodeManager: 16 MB of shared memory for both and their tasks. */
    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class WithLittleSharedMemory {
        private int deathsBefore;

        @BeforeAll
        void restart() {
            deathsBefore = deaths();
            EnvironmentIT.this.restart(
                    NODE_PROCESS, mounts("mount -t tmpfs -o size=16m tmpfs /dev/shm"));
        }

        @Test
        void aNodeProcessAndUcxGetAlong() throws Exception {
            Situation.await(
                    "bytes over ucx",
                    () -> Figures.of(run(Map.of()), ShuffleCounter.FETCH_UCX_BYTES) > 0);

            assertThat(deaths()).isEqualTo(deathsBefore);
        }

        private int deaths() {
            return site.nodeLogLines(NODE, "has died").size();
        }

        /** As container runtimes give to each task. */
        @Test
        void tasksInNamespacesOfTheirOwnShareTheNodesMemory() throws Exception {
            final Path home =
                    javaHome(
                            List.of(
                                    "unshare",
                                    "--pid",
                                    "--fork",
                                    "--kill-child",
                                    "--mount",
                                    "--mount-proc"));
            final Map<String, String> properties =
                    Map.of(
                            "mapreduce.map.env", "JAVA_HOME=" + home,
                            "mapreduce.reduce.env", "JAVA_HOME=" + home);
            Situation.await(
                    "a map on the node with room in memory",
                    () -> Figures.of(run(properties), ShuffleCounter.OUTPUT_MEMORY_BYTES) > 0);

            assertUsed(home);
        }

        /** Native libraries are unpacked there; the kernel does not map them for execution. */
        @Test
        void reducersWhoseTemporaryFolderIsNoexecFetchOverTcp() throws Exception {
            final Path home = javaHome(mounts("mount -t tmpfs -o noexec tmpfs tmp"));
            final Map<String, String> properties = new TreeMap<>(FailureSite.FEW_MAPS);
            properties.put("mapreduce.reduce.env", "JAVA_HOME=" + home);
            Situation.await("a node that offers ucx", () -> fetchesOverTcp(properties, NOT_NOEXEC));

            assertUsed(home);
        }

        /** Less than ucx takes at a time. */
        @Test
        void reducersWithEightMegabytesOfDirectMemoryFetchOverTcp() throws Exception {
            final Map<String, String> properties = new TreeMap<>(FailureSite.FEW_MAPS);
            properties.put(REDUCE_OPTIONS, reduceOptions("-XX:MaxDirectMemorySize=8m"));
            Situation.await(
                    "a node that offers ucx",
                    () -> fetchesOverTcp(properties, "raise memlock or -XX:MaxDirectMemorySize"));
        }

        private boolean fetchesOverTcp(final Map<String, String> properties, final String why) {
            final JobFigures figures = run(properties);
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_UCX_BYTES)).isZero();
            final long warnings =
                    site.taskLogLines(figures.jobId(), why).stream()
                            .filter(line -> line.contains(" WARN "))
                            .count();
            // One of each reducer; none where no map ran on the node that offers ucx.
            assertThat(warnings).isIn(0L, (long) FailureSite.REDUCERS);
            return warnings > 0;
        }
    }

    /** A hardened host, and a NodeManager with 16 MB of direct memory. */
    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class WithNoexecFoldersAndLittleDirectMemory {
        private JobFigures figures;

        @BeforeAll
        void runAJob() throws IOException {
            // What Hadoop's NodeManager itself unpacks and loads, it needs.
            final Path libraries = Files.createDirectories(site.newPath("libraries"));
            final List<String> prefix = new ArrayList<>();
            prefix.add("env");
            prefix.add(
                    "JDK_JAVA_OPTIONS=-XX:MaxDirectMemorySize=16m -Dlibrary.leveldbjni.path="
                            + libraries);
            prefix.addAll(
                    mounts(
                            String.join(
                                    " && ",
                                    noexec("/tmp"),
                                    noexec(site.temporary().toString()),
                                    "mount -t tmpfs tmpfs "
                                            + ShellWord.quoted(libraries.toString()))));
            restart(NODE_PROCESS, prefix);
            figures = run(Map.of(REDUCE_OPTIONS, reduceOptions("-XX:MaxDirectMemorySize=8m")));
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        }

        private static String noexec(final String folder) {
            return "mount --bind %1$s %1$s && mount -o remount,bind,noexec %1$s"
                    .formatted(ShellWord.quoted(folder));
        }

        @Test
        void theNodeProcessNamesItsFolderAndReducersFetchOverTcp() {
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_UCX_BYTES)).isZero();
            assertThat(site.nodeLogLines(NODE, "Not serving ucx: "))
                    .singleElement()
                    .asString()
                    .endsWith("java.io.tmpdir=/tmp" + NOT_NOEXEC);
        }

        @Test
        void theNodeManagerAndReducersWithEightMegabytesGetAlong() {
            assertThat(site.nodeLogLines(NODE, "OutOfMemoryError")).isEmpty();
            assertThat(site.taskLogLines(figures.jobId(), "OutOfMemoryError")).isEmpty();
        }
    }
}
