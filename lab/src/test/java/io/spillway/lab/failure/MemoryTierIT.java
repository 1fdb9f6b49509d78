// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.site.WorkFolder;
import io.spillway.conf.MemoryBounds;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.pool.AbandonedFolders;
import io.spillway.store.tier.StoreKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Map output in the nodes' memory, in mode auto: served from there, and never left behind. */
@ExtendWith(OnFailureSite.class)
class MemoryTierIT {
    private static final String SORT_MB = "mapreduce.task.io.sort.mb";
    private static final String SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps";
    private static final String NOTIFICATIONS =
            "mapreduce.reduce.shuffle.max-fetch-failures-notifications";

    /** The first one is stock's. */
    private static final int SPILLWAY_NODE = 1;

    private static final Pattern OFFER = Pattern.compile("at most (\\d+) bytes, (.*)");

    private final FailureSite site;

    MemoryTierIT(final FailureSite site) {
        this.site = site;
    }

    /** A node says once how much it offers and why, and that is nothing of what YARN gives away. */
    @Test
    void aNodeSaysHowMuchMemoryItOffersAndKeepsOffThatOfContainers() {
        assumeThat(site.cluster().memoryFolder()).isPresent();
        final List<String> lines = site.nodeLogLines(SPILLWAY_NODE, "Offering the memory tier in ");
        assertThat(lines).isNotEmpty();
        final Matcher line = OFFER.matcher(lines.get(lines.size() - 1));
        assertThat(line.find()).as(lines.toString()).isTrue();

        final long hostBytes = MemoryBounds.hostBytes();
        final long containerBytes = (long) site.cluster().size().nodeMb() << 20;
        final long reserveBytes = StoreKeys.STORE_MEMORY_RESERVE.defaultValue();
        assertThat(Long.parseLong(line.group(1)))
                .isPositive()
                .isLessThanOrEqualTo(hostBytes / 4)
                .isLessThanOrEqualTo(hostBytes - containerBytes - reserveBytes);
        assertThat(line.group(2)).startsWith("spillway.store.memory.limit=auto: ");
    }

    /**
     * Spills and outputs stay off the disks; the stock node has no memory tier to offer, so its
     * tasks name a directory for spills.
     */
    @Test
    void outputStaysInMemoryAndIsMadeAgainWhereItIsTakenAway() throws Exception {
        assumeThat(site.cluster().memoryFolder()).isPresent();
        final Map<String, String> properties =
                Map.of(
                        SORT_MB,
                        "1",
                        SLOW_START,
                        "1.0",
                        NOTIFICATIONS,
                        "1",
                        "spillway.store.memory.dir",
                        "/dev/shm");
        Situation.awaitOutputs(site, properties, 3, this::takeAwayTwo);
    }

    private void takeAwayTwo(final RunningJob job, final List<MapOutput> outputs) throws Exception {
        assertThat(outputs)
                .allMatch(output -> output.isInRuns() && Files.isSymbolicLink(output.data()));
        final long kept = firstRunBytes(outputs.subList(2, outputs.size()));
        Files.delete(Files.readSymbolicLink(outputs.get(0).data()));
        Files.write(outputs.get(1).data(), new byte[0]);
        job.killMaps();
        job.openGate();
        final JobResult result = job.awaitSameOutputAsStock();
        final JobFigures figures = site.figures(result);

        assertThat(Files.readString(result.log()))
                .contains(outputs.get(0).attempt() + ", Status : FAILED")
                .contains(outputs.get(1).attempt() + ", Status : FAILED");
        assertThat(site.taskLogLines(job.id(), "has no file.out.run0 of")).isNotEmpty();
        assertThat(site.taskLogLines(job.id(), "an end of at most 0")).isNotEmpty();
        assertThat(Figures.of(figures, ShuffleCounter.SPILL_MEMORY_BYTES)).isPositive();
        assertThat(Figures.of(figures, ShuffleCounter.SPILL_DISK_BYTES)).isZero();
        assertThat(kept).isPositive();
        assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_MEMORY_BYTES))
                .isGreaterThanOrEqualTo(kept);
        RunningJob.awaitNothingLeft(site, job.id());
    }

    /**
     * The stock node's handler follows the links as well. It deletes nothing when the job ends;
     * Spillway's nodes do, at once what is theirs.
     */
    @Test
    void outputsOnASharedDirectoryAreServedByTheirNodesAndDeletedWithTheJob() throws Exception {
        final JobFigures figures = site.runAndCompare(Map.of("spillway.output.tiers", "lustre"));
        assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_LUSTRE_BYTES)).isPositive();
        assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_DISK_BYTES)).isZero();
        assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_MEMORY_BYTES)).isZero();
        Figures.assertNothingLost(figures);
        RunningJob.awaitAfterwards(
                "both nodes of Spillway to delete what they have in " + site.sharedDirectory(),
                () -> hostsWithOutputs() <= 1);
    }

    private long hostsWithOutputs() {
        try (Stream<Path> folders = Files.walk(site.sharedDirectory(), 2)) {
            return folders.filter(
                            folder -> site.sharedDirectory().relativize(folder).getNameCount() == 2)
                    .count();
        } catch (final IOException | UncheckedIOException e) {
            return Long.MAX_VALUE;
        }
    }

    /** As systemd does with a user's shared memory at logout: the NodeManagers go on. */
    @Test
    void aFolderThatIsDeletedIsMadeAgainAndJobsGoOn() throws Exception {
        assumeThat(site.cluster().memoryFolder()).isPresent();
        final Map<String, String> properties = Map.of(SLOW_START, "1.0", NOTIFICATIONS, "1");
        Situation.awaitOutputs(site, properties, 2, this::deleteFolders);
        RunningJob.awaitAfterwards(
                "both folders to be made again",
                () -> deletions(SPILLWAY_NODE) > 0 && deletions(SPILLWAY_NODE + 1) > 0);

        Situation.await("a map on a node with memory", this::keepsOutputsInMemory);
        for (int node = SPILLWAY_NODE; node < FailureSite.NODES; node++) {
            assertThat(deletions(node)).isEqualTo(1);
            assertThat(site.nodeLogLines(node, "Cannot take back")).isEmpty();
        }
    }

    private boolean keepsOutputsInMemory() {
        final JobFigures figures = site.runAndCompare(FailureSite.FEW_MAPS);
        Figures.assertNothingLost(figures);
        return Figures.of(figures, ShuffleCounter.OUTPUT_MEMORY_BYTES) > 0;
    }

    private int deletions(final int node) {
        return (int)
                site.nodeLogLines(node, "was deleted with the map outputs in it").stream()
                        .filter(line -> line.contains("The memory tier's folder"))
                        .count();
    }

    private Path foldersOfUser() {
        return AbandonedFolders.ofUser(site.cluster().memoryFolder().orElseThrow());
    }

    private void deleteFolders(final RunningJob job, final List<MapOutput> outputs)
            throws Exception {
        assertThat(outputs).hasSizeGreaterThanOrEqualTo(2);
        WorkFolder.deleteTree(foldersOfUser());
        job.openGate();
        final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

        assertThat(Figures.lostMapAttempts(figures)).isPositive();
    }

    private static long firstRunBytes(final List<MapOutput> outputs) throws IOException {
        long bytes = 0;
        for (final MapOutput output : outputs) {
            bytes += Files.size(output.data());
        }
        return bytes;
    }
}
