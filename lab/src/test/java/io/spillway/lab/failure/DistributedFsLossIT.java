// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.JobFigures;
import io.spillway.lab.cluster.DistributedFs;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.hosts.HostSupport;
import io.spillway.lab.moosefs.MooseFs;
import io.spillway.report.ShuffleCounter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Map outputs on a distributed file system, each emulated host with a client of its own. Jobs
 * continue after the loss of a host, the metadata server or a client. YARN does not notice the loss
 * of a host before a test ends.
 */
class DistributedFsLossIT {
    private static final Duration SILENCE = Duration.ofMinutes(20);

    /** The pause of the metadata server. A variable sets longer pauses for runs by hand. */
    private static final long PAUSE_SECONDS =
            Long.parseLong(System.getenv().getOrDefault("SPILLWAY_TEST_PAUSE_SECONDS", "8"));

    private static FailureSite site;
    private static DistributedFs fileSystem;

    @BeforeAll
    static void start() {
        assumeTrue(canStart(), "no network namespaces, no MooseFS or no FUSE here");
        site = FailureSite.startOverDistributedFs("it-dfs-loss", SILENCE);
        fileSystem = site.cluster().distributedFs().orElseThrow();
    }

    private static boolean canStart() {
        try {
            HostSupport.ofThisMachine().require(HostLink.NONE);
            MooseFs.require(System.getenv("PATH"));
            return true;
        } catch (final BadInputException e) {
            return false;
        }
    }

    @AfterAll
    static void stop() {
        if (site != null) {
            site.cluster().stop(true);
        }
    }

    /** The tiers in their order, however slow a busy machine makes the first one. */
    private static Map<String, String> job(final String slowStart) {
        return new TreeMap<>(
                Map.of(
                        "spillway.output.tiers",
                        "lustre,disk",
                        "spillway.tier.slow",
                        "1",
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        slowStart));
    }

    /** Small windows: most bytes are still to be fetched at the time of the loss. */
    private static Map<String, String> copyingJob() {
        final Map<String, String> properties = job("0.05");
        properties.put("spillway.shuffle.buffer.bytes", "1m");
        return properties;
    }

    /** The host's processes, mount and network end; the reducers start afterwards. */
    @Test
    void noMapRunsAgainForAHostThatIsGone() throws Exception {
        Situation.await("a host with outputs and nothing else of the job", this::losesAHost);
    }

    private boolean losesAHost() throws Exception {
        try (RunningJob job = RunningJob.withLastMapHeld(site, job("1.0"))) {
            final Optional<Integer> lost = job.idleNode(job.awaitMapOutputs());
            if (lost.isEmpty()) {
                job.openGate();
                job.awaitSameOutputAsStock();
                return false;
            }
            final JobFigures figures = finishWithoutHost(lost.get(), job);

            Figures.assertNothingLost(figures);
            assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_DISK_BYTES)).isZero();
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SHAREDFS_BYTES)).isPositive();
            assertThat(site.taskLogLines(job.id(), "cannot be reached: "))
                    .anySatisfy(line -> assertThat(line).contains("go on at nodes that hold"));
            return true;
        }
    }

    private static JobFigures finishWithoutHost(final int lost, final RunningJob job)
            throws Exception {
        site.cluster().daemons().crashNode(lost);
        fileSystem.killClient(lost);
        fileSystem.setLinkUp(lost, false);
        try {
            job.openGate();
            return site.figures(job.awaitSameOutputAsStock());
        } finally {
            fileSystem.setLinkUp(lost, true);
            fileSystem.restartClient(lost);
            site.cluster().daemons().restartNodeManager(lost);
        }
    }

    /** Some maps run, and reducers read and open outputs of other maps. */
    @Test
    void aJobWaitsForAMetadataServerThatStandsStill() throws Exception {
        try (RunningJob job = RunningJob.withLastMapHeld(site, copyingJob())) {
            job.awaitCopying();
            fileSystem.pauseMetadataServer();
            try {
                job.openGate();
                TimeUnit.SECONDS.sleep(PAUSE_SECONDS);
            } finally {
                fileSystem.resumeMetadataServer();
            }
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            Figures.assertNothingLost(figures);
            assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_DISK_BYTES)).isZero();
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SHAREDFS_BYTES)).isPositive();
        }
    }

    /** No process on that host can read its outputs; other hosts still can. */
    @Test
    void aJobEndsWellThatLosesTheClientOfOneHost() throws Exception {
        try (RunningJob job = RunningJob.withLastMapHeld(site, copyingJob())) {
            final int cutOff = job.awaitMapOutputs().get(0).node();
            job.awaitCopying();
            fileSystem.killClient(cutOff);
            final JobFigures figures;
            try {
                job.openGate();
                figures = site.figures(job.awaitSameOutputAsStock());
            } finally {
                fileSystem.restartClient(cutOff);
            }

            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SHAREDFS_BYTES)).isPositive();
        }
    }
}
