// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.lab.cluster.Clusters;
import io.spillway.lab.cluster.FormerRelease;
import io.spillway.lab.cluster.JarCopy;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An upgrade from the former release while jobs run: the jar is renamed into place, then daemons
 * are started again one by one, in the orders that docs/operating.md has. Every job gives stock's
 * output, and no map runs again for the upgrade. It has a cluster of its own: YARN on the other one
 * gives a NodeManager up sooner than a busy machine starts it again.
 */
class FormerReleaseIT {
    /** NodeManagers are started again under running jobs: longer than that takes. */
    private static final Duration SILENCE = Duration.ofMinutes(5);

    private static JarCopy copy;
    private static FailureSite site;
    private static Path jar;
    private static Path present;

    /** The other node with Spillway's handler. */
    private static final int LAST_NODE = SiteNodeProcess.NODE + 1;

    private static final String SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps";
    private static final String SERVICE = "spillway.placement.service";
    private static final String SECRET_FILE = "spillway.placement.secret.file";

    private final SiteNodeProcess node = new SiteNodeProcess(site);
    private final List<NodeByHand> memory = new ArrayList<>();
    private String service;
    private Path secret;

    @BeforeAll
    static void start() throws IOException {
        copy = JarCopy.use();
        site = FailureSite.start("it-upgrade", SILENCE);
        jar = site.cluster().plugIn().engine();
        present = Files.copy(jar, site.newPath("present.jar"));
    }

    @AfterAll
    static void stop() {
        site.cluster().stop(true);
        copy.close();
    }

    @BeforeEach
    void beginWithTheFormerRelease() throws Exception {
        replaceBy(FormerRelease.jar());
        restart(LAST_NODE);
    }

    @AfterEach
    void closeMemoryNodes() {
        memory.forEach(NodeByHand::close);
    }

    /** As package managers do it: those who have the old file open go on reading it. */
    private static void replaceBy(final Path other) throws IOException {
        final Path beside = jar.resolveSibling(jar.getFileName() + ".new");
        Files.copy(other, beside, StandardCopyOption.REPLACE_EXISTING);
        Files.move(beside, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    private void restart(final int manager) {
        site.cluster().daemons().killNodeManager(manager);
        site.cluster().daemons().restartNodeManager(manager);
    }

    /**
     * Its reducers have begun to fetch when the upgrade begins: they are old to the end. Those of
     * the job that follows are new, and so are its maps, on nodes that are old.
     */
    @Test
    void tasksThenNodeManagersThenNodeProcesses() throws Exception {
        node.launch();
        try (RunningJob old = RunningJob.withLastMapHeld(site, early())) {
            old.awaitMapOutputs();
            old.awaitCopying();
            replaceBy(present);
            try (RunningJob mixed = RunningJob.withLastMapHeld(site, late())) {
                mixed.awaitMapOutputs();
                final long process = node.pid();
                node.restartManager();
                assertThat(node.pid()).as("the old process goes on").isEqualTo(process);
                mixed.await("an old process that knows the job", () -> node.knows(mixed.id()));
                startProcessAnew(mixed);
                old.openGate();
                assertNothingLost(old);
                mixed.openGate();
                assertNothingLost(mixed);
            }
        }
        restart(LAST_NODE);
        Figures.assertNothingLost(site.runAndCompare(FailureSite.FEW_MAPS));
    }

    /** The service and the processes of NodeManagers first, memory nodes last. */
    @Test
    void serviceThenTasksThenMemoryNodes() throws Exception {
        launchService();
        startMemoryNode();
        try (RunningJob old = RunningJob.withLastMapHeld(site, placed(early()))) {
            old.awaitMapOutputs();
            old.awaitCopying();
            replaceBy(present);
            startProcessAnew(old);
            startMemoryNode();
            try (RunningJob mixed = RunningJob.withLastMapHeld(site, placed(late()))) {
                mixed.awaitMapOutputs();
                mixed.await("a settled service", () -> node.status().contains("\"settled\":true"));
                old.openGate();
                assertPlaced(assertNothingLost(old));
                mixed.openGate();
                assertPlaced(assertNothingLost(mixed));
            }
        }
    }

    /** Memory nodes and tasks before the service. */
    @Test
    void memoryNodesThenTasksThenService() throws Exception {
        launchService();
        replaceBy(present);
        startMemoryNode();
        try (RunningJob mixed = RunningJob.withLastMapHeld(site, placed(late()))) {
            mixed.awaitMapOutputs();
            startProcessAnew(mixed);
            mixed.await("a settled service", () -> node.status().contains("\"settled\":true"));
            mixed.openGate();
            assertPlaced(assertNothingLost(mixed));
        }
    }

    private static Map<String, String> early() {
        return Map.of(SLOW_START, "0.05", "spillway.shuffle.buffer.bytes", "1m");
    }

    private static Map<String, String> late() {
        return Map.of(SLOW_START, "1.0");
    }

    private Map<String, String> placed(final Map<String, String> properties) {
        final Map<String, String> all = new HashMap<>(properties);
        all.put(SERVICE, service);
        all.put("spillway.placement", "dedicated");
        return all;
    }

    /** The process ends; its NodeManager starts another one, of the jar that is there now. */
    private void startProcessAnew(final RunningJob job) {
        final long former = node.pid();
        assertThat(ProcessHandle.of(former).orElseThrow().destroyForcibly()).isTrue();
        job.await(
                "another process that knows the job",
                () -> node.knows(job.id()) && node.pid() != former);
    }

    private void launchService() throws IOException {
        service = "localhost:" + Clusters.freePort();
        secret = site.newPath("cluster.secret");
        Files.createFile(
                secret,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "a secret of all the nodes of this test");
        node.launch(
                Map.of(
                        SERVICE,
                        service,
                        "spillway.placement.serve",
                        "true",
                        SECRET_FILE,
                        secret.toString(),
                        "spillway.node.tcp.port",
                        service.substring(service.indexOf(':') + 1),
                        "spillway.placement.job.expiry.ms",
                        "5000",
                        "spillway.node.memory.bytes",
                        "0"));
    }

    private void startMemoryNode() throws IOException, InterruptedException {
        final Map<String, String> settings =
                Map.of(
                        SERVICE,
                        service,
                        SECRET_FILE,
                        secret.toString(),
                        "spillway.node.host",
                        "localhost",
                        "spillway.node.memory.only",
                        "true",
                        "spillway.node.memory.bytes",
                        "256m");
        memory.add(NodeByHand.start(site, List.of(), settings, site.newPath("memory.sock")));
    }

    private JobFigures assertNothingLost(final RunningJob job) throws InterruptedException {
        final JobFigures figures = site.figures(job.awaitSameOutputAsStock());
        assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        Figures.assertNothingLost(figures);
        return figures;
    }

    private static void assertPlaced(final JobFigures figures) {
        assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_REMOTE_BYTES))
                .isGreaterThan(FailureSite.FILE_LENGTH);
    }
}
