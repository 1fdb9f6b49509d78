// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.run.JobFigures;
import io.spillway.lab.cluster.Clusters;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Map outputs in the memory of a node process that a NodeManager has started, and that is the
 * placement service too: what becomes of a job when it dies, and when it has no room.
 */
@ExtendWith(OnFailureSite.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MemoryNodesIT {
    private static final String SERVICE = "spillway.placement.service";
    private static final String SECRET_FILE = "spillway.placement.secret.file";

    private static final Path LIBRARIES = Path.of("/usr/lib");

    /** Becomes the command that follows, on a disk of a megabyte that no other process sees. */
    private static final String SMALL_DISK =
            "mount -t tmpfs -o size=1m tmpfs \"$0\" && exec \"$@\"";

    private final FailureSite site;
    private final SiteNodeProcess node;
    private final String service;
    private final List<NodeByHand> memory = new ArrayList<>();
    private Path secret;

    MemoryNodesIT(final FailureSite site) {
        this.site = site;
        this.node = new SiteNodeProcess(site);
        this.service = "localhost:" + Clusters.freePort();
    }

    private void launch(final String memory) throws IOException {
        launch(memory, "60000");
    }

    private void launch(final String memory, final String jobExpiryMillis) throws IOException {
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
                        jobExpiryMillis,
                        "spillway.node.memory.bytes",
                        memory));
    }

    @AfterEach
    void closeMemoryNodes() {
        memory.forEach(NodeByHand::close);
        memory.clear();
    }

    @AfterAll
    void launchNoMore() {
        node.end();
    }

    private Map<String, String> properties(final String... more) {
        final Map<String, String> properties = new HashMap<>();
        properties.put(SERVICE, service);
        properties.put("spillway.placement", "every-node");
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        return properties;
    }

    private Map<String, String> fewMaps(final String... more) {
        final Map<String, String> properties = properties(more);
        properties.putAll(FailureSite.FEW_MAPS);
        return properties;
    }

    @Test
    void mapsWhoseOutputsDiedWithANodeRunAgain() throws Exception {
        launch("256m");
        Situation.await("outputs in memory", this::losesOutputs);
    }

    private boolean losesOutputs() throws Exception {
        final Map<String, String> properties =
                properties("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            if (job.awaitMapOutputs().stream().noneMatch(MapOutput::isElsewhere)) {
                return false;
            }
            job.await("a service that knows of outputs", () -> holds(job));
            final long killed = node.pid();
            assertThat(ProcessHandle.of(killed).orElseThrow().destroyForcibly()).isTrue();
            job.await(
                    "another one that knows the job",
                    () -> node.knows(job.id()) && node.pid() != killed);
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            // Whether the maps that run again find the new node in time is not asserted: until
            // their hosts have joined it, their outputs stay local, as they should.
            assertThat(Figures.lostMapAttempts(figures)).isPositive();
            assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
            return true;
        }
    }

    /** Whether the placement service has heard of outputs of a job. */
    private boolean holds(final RunningJob job) {
        return node.status().matches(".*\"id\":\"" + job.id() + "\"[^}]*\"outputs\":[1-9].*");
    }

    @Test
    void outputsStayOnTheirHostWhereNoNodeHasRoom() throws Exception {
        launch("1m");
        final JobFigures figures = site.runAndCompare(fewMaps());

        assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_REMOTE_BYTES)).isLessThan(1 << 20);
        assertThat(
                        Figures.of(figures, ShuffleCounter.OUTPUT_MEMORY_BYTES)
                                + Figures.of(figures, ShuffleCounter.OUTPUT_DISK_BYTES))
                .isGreaterThan(FailureSite.FILE_LENGTH);
        Figures.assertNothingLost(figures);
    }

    /** The disk is full long before the node expects it. */
    @Test
    void outputsStayOnTheirHostWhereMemoryIsOutAndTheDiskIsFull() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "mounting needs root");
        launch("0");
        final Path disk = Files.createDirectories(site.newPath("disk"));
        startMemoryNode(
                List.of("unshare", "--mount", "sh", "-c", SMALL_DISK, disk.toString()),
                Map.of(
                        "spillway.node.memory.bytes",
                        "1m",
                        "spillway.node.overflow.dir",
                        disk.toString(),
                        "spillway.node.overflow.bytes",
                        "64m"));

        Situation.await("an output that a memory node has no room for", this::fallsBack);
    }

    private boolean fallsBack() {
        final JobFigures figures = site.runAndCompare(fewMaps("spillway.placement", "dedicated"));
        assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_REMOTE_BYTES))
                .isLessThan(FailureSite.FILE_LENGTH);
        Figures.assertNothingLost(figures);
        return Figures.of(figures, ShuffleCounter.PLACEMENT_FALLBACKS) > 0;
    }

    @Test
    void nodesWhoseClocksAreDaysApartTakeOutputsAndForgetThem() throws Exception {
        launch("0");
        startMemoryNode(clock("-3d"), Map.of());
        startMemoryNode(clock("+3d"), Map.of());

        Situation.await("outputs in memory nodes", this::putsOutputs);

        RunningJob.awaitAfterwards(
                "memory nodes that are empty", () -> memory.stream().allMatch(NodeByHand::isEmpty));
    }

    /** A map on the stock node puts nothing, nor one that ends before the service has its job. */
    private boolean putsOutputs() {
        final JobFigures figures = site.runAndCompare(fewMaps("spillway.placement", "dedicated"));
        Figures.assertNothingLost(figures);
        return Figures.of(figures, ShuffleCounter.OUTPUT_REMOTE_BYTES) > FailureSite.FILE_LENGTH;
    }

    /** What goes before a command whose wall clock is off; it waits as long as ever. */
    private static List<String> clock(final String offset) throws IOException {
        return List.of(
                "env",
                "FAKETIME=" + offset,
                "FAKETIME_DONT_FAKE_MONOTONIC=1",
                "FAKETIME_FORCE_MONOTONIC_FIX=0",
                "LD_PRELOAD=" + fakeTime());
    }

    private static Path fakeTime() throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(LIBRARIES)) {
            for (final Path folder : folders) {
                final Path library = folder.resolve("faketime/libfaketime.so.1");
                if (Files.isRegularFile(library)) {
                    return library;
                }
            }
        }
        return abort("no libfaketime below " + LIBRARIES);
    }

    @Test
    void noMapRunsAgainWhereANodeDiesAndAnotherOneHasACopy() throws Exception {
        launch("0");
        startMemoryNode();
        startMemoryNode();
        Situation.await("outputs that two nodes have", this::losesCopies);
    }

    /**
     * The drained node serves its outputs until the job ends. Then it stops, and the next job loses
     * no output.
     */
    @Test
    void aMemoryNodeThatIsDrainedAmidJobsMayGo() throws Exception {
        launch("0", "10000");
        startMemoryNode();
        startMemoryNode();
        final NodeByHand drained = memory.get(0);
        Situation.await("outputs in a node that is drained", () -> drains(drained));
        Situation.await("outputs in the other node", () -> goesAmidAJob(drained));
    }

    private boolean drains(final NodeByHand drained) throws Exception {
        try (RunningJob job = RunningJob.withLastMapHeld(site, dedicated())) {
            job.awaitMapOutputs();
            if (drained.heldOutputs() <= 0) {
                return false;
            }
            final NodeByHand.Outcome begun = drained.drain("--timeout", "0");
            assertThat(begun.code()).as(begun.output()).isEqualTo(3);
            assertThat(begun.output()).contains("it cannot stop yet", job.id());
            job.openGate();
            Figures.assertNothingLost(site.figures(job.awaitSameOutputAsStock()));
            return true;
        }
    }

    private boolean goesAmidAJob(final NodeByHand drained) throws Exception {
        try (RunningJob job = RunningJob.withLastMapHeld(site, dedicated())) {
            if (job.awaitMapOutputs().stream().noneMatch(MapOutput::isElsewhere)) {
                return false;
            }
            final NodeByHand.Outcome end = drained.drain("--timeout", "120");
            assertThat(end.code()).as(end.output()).isZero();
            assertThat(end.output()).contains("holds nothing: it can stop");
            assertThat(drained.isEmpty()).isTrue();
            drained.terminate();
            job.openGate();
            Figures.assertNothingLost(site.figures(job.awaitSameOutputAsStock()));
            return true;
        }
    }

    private Map<String, String> dedicated() {
        return properties(
                "spillway.placement",
                "dedicated",
                "mapreduce.job.reduce.slowstart.completedmaps",
                "1.0");
    }

    /** It runs no tasks. */
    private void startMemoryNode() throws IOException, InterruptedException {
        startMemoryNode(List.of(), Map.of());
    }

    private void startMemoryNode(final List<String> prefix, final Map<String, String> more)
            throws IOException, InterruptedException {
        final Map<String, String> settings = new HashMap<>();
        settings.put(SERVICE, service);
        settings.put(SECRET_FILE, secret.toString());
        settings.put("spillway.node.host", "localhost");
        settings.put("spillway.node.memory.only", "true");
        settings.put("spillway.node.memory.bytes", "256m");
        settings.putAll(more);
        memory.add(NodeByHand.start(site, prefix, settings, site.newPath("memory.sock")));
    }

    /**
     * Most bytes of the outputs are still on the nodes when one of them dies. The outputs are
     * encrypted, and nodes have no key.
     */
    private boolean losesCopies() throws Exception {
        final Map<String, String> properties =
                properties(
                        "spillway.placement",
                        "dedicated",
                        "spillway.placement.copies",
                        "2",
                        "spillway.shuffle.buffer.bytes",
                        "1m",
                        "mapreduce.job.encrypted-intermediate-data",
                        "true");
        try (RunningJob job = RunningJob.withReducersHeld(site, properties)) {
            final List<MapOutput> elsewhere =
                    job.awaitMapOutputs().stream().filter(MapOutput::isElsewhere).toList();
            job.awaitReducing(FailureSite.REDUCERS);
            if (elsewhere.isEmpty() || elsewhere.stream().anyMatch(one -> one.copies() < 2)) {
                return false;
            }
            assertThat(new PlainText(site).inMemoryOf(memory.get(0).pid())).isEmpty();
            memory.get(0).close();
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_REMOTE_BYTES)).isPositive();
            assertThat(Figures.of(figures, ShuffleCounter.ATTEMPT_FAILOVERS)).isZero();
            Figures.assertNothingLost(figures);
            return true;
        }
    }

    @Test
    void aJobThatIsKilledLeavesNothingInMemory() throws Exception {
        launch("0", "10000");
        startMemoryNode();
        Situation.await("outputs in memory of a job that is killed", this::isKilled);
    }

    private boolean isKilled() throws Exception {
        final Map<String, String> properties = properties("spillway.placement", "dedicated");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            if (job.awaitMapOutputs().stream().noneMatch(MapOutput::isElsewhere)) {
                return false;
            }
            job.await("a memory node that holds outputs", () -> memory.get(0).heldOutputs() > 0);
            // They are not encrypted.
            assertThat(new PlainText(site).inMemoryOf(memory.get(0).pid())).isNotEmpty();
            job.kill();
            RunningJob.awaitAfterwards(
                    "a memory node that is empty", () -> memory.get(0).isEmpty());
            return true;
        }
    }

    /** As a link that is down: nothing answers, and nothing says so. */
    @Test
    void aMemoryNodeThatFallsSilentCostsNoTask() throws Exception {
        launch("0");
        startMemoryNode();
        Situation.await("outputs in a node that falls silent", this::losesSilentNode);
    }

    private boolean losesSilentNode() throws Exception {
        final Map<String, String> properties =
                properties(
                        "spillway.placement",
                        "dedicated",
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "1.0",
                        "mapreduce.reduce.shuffle.max-fetch-failures-notifications",
                        "1");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            if (job.awaitMapOutputs().stream().noneMatch(MapOutput::isElsewhere)) {
                return false;
            }
            memory.get(0).stop();
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            // The maps whose outputs it has run again; those and the held one keep theirs.
            assertThat(Figures.lostMapAttempts(figures)).isPositive();
            assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isZero();
            return true;
        } finally {
            memory.get(0).resume();
        }
    }
}
