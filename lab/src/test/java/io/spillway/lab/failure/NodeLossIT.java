// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.report.ShuffleCounter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * NodeManagers that are killed with map output that is still needed. Reducers have so little memory
 * that most of it is still on the nodes when the last map ends.
 */
@ExtendWith(OnFailureSite.class)
class NodeLossIT {
    private static final String SMALL_BUFFER = "1m";

    private final FailureSite site;
    private final LocalCluster cluster;

    NodeLossIT(final FailureSite site) {
        this.site = site;
        this.cluster = site.cluster();
    }

    @Test
    void mapsOfANodeThatLosesPowerAreRunAgainWhileReducersCopy() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        "spillway.shuffle.buffer.bytes",
                        SMALL_BUFFER,
                        "spillway.shuffle.stream.retry.ms",
                        "2000",
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "0.05");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            final int lost = job.nodeToHarm(job.awaitMapOutputs());
            job.awaitCopying();
            cluster.daemons().crashNode(lost);
            final JobFigures figures = finishWithout(lost, job);

            assertThat(Figures.lostMapAttempts(figures)).isPositive();
            assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        }
    }

    /** Without the stock node, which cannot give the rest of an output only. */
    @Test
    void reducersGoOnWithMapsThatRanAgainWhenTheirRecordsWereBeingMerged() throws Exception {
        cluster.daemons().decommission(FailureSite.STOCK_NODE);
        try {
            Situation.await("a merge that went on with another attempt", this::failsOver);
        } finally {
            cluster.daemons().recommission(FailureSite.STOCK_NODE);
        }
    }

    private boolean failsOver() throws Exception {
        final Map<String, String> properties =
                Map.of("spillway.shuffle.buffer.bytes", SMALL_BUFFER);
        try (RunningJob job = RunningJob.withReducersHeld(site, properties)) {
            final int lost = job.nodeToHarm(job.awaitMapOutputs());
            job.awaitReducing(2);
            cluster.daemons().killNodeManager(lost);
            final JobFigures figures = finishWithout(lost, job);

            assertThat(Figures.lostMapAttempts(figures)).isPositive();
            assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isZero();
            final long failovers = Figures.of(figures, ShuffleCounter.ATTEMPT_FAILOVERS);
            assertThat(site.taskLogLines(figures.jobId(), "what was merged is the same"))
                    .hasSizeGreaterThanOrEqualTo((int) failovers);
            return failovers > 0;
        }
    }

    /**
     * Where a map runs again is YARN's choice. The stock node cannot give the rest of an output
     * only, and costs the reducer's attempt, which then says so.
     */
    private void assertFailedForTheStockNodeOnly(final JobFigures figures) {
        final List<String> onStockNode =
                site.taskLogLines(figures.jobId(), "cannot replace what was merged");
        assertThat(onStockNode)
                .allSatisfy(line -> assertThat(line).contains("its node answers stock HTTP"));
        assertThat(Figures.of(figures, "NUM_FAILED_REDUCES"))
                .isLessThanOrEqualTo(onStockNode.size());
    }

    /** Opens the gate when a node is lost, which comes back only after the job has ended. */
    private JobFigures finishWithout(final int lost, final RunningJob job)
            throws InterruptedException {
        try {
            job.openGate();
            return site.figures(job.awaitSameOutputAsStock());
        } finally {
            cluster.daemons().restartNodeManager(lost);
        }
    }

    /**
     * More data than fits: its larger part is still on the nodes when the first record comes. On a
     * busy machine the NodeManager may come back so late that it counts as lost before.
     */
    @ParameterizedTest
    @CsvSource({"2, 1", "1, 8"})
    void reducersGoOnWhereTheyWereWhenANodeManagerIsStartedAgain(
            final int reducers, final int bufferMb) throws Exception {
        Situation.await("a stream that was resumed", () -> resumes(reducers, bufferMb));
    }

    private boolean resumes(final int reducers, final int bufferMb) throws Exception {
        final Map<String, String> properties =
                Map.of(
                        FailureSite.JOB_REDUCES,
                        String.valueOf(reducers),
                        "spillway.shuffle.buffer.bytes",
                        bufferMb + "m",
                        "spillway.shuffle.stream.retry.ms",
                        "600000");
        try (RunningJob job = RunningJob.withReducersHeld(site, properties)) {
            final List<MapOutput> outputs = job.awaitMapOutputs();
            job.awaitReducing(reducers);
            final int restarted = job.nodeToHarm(outputs);
            cluster.daemons().killNodeManager(restarted);
            job.openGate();
            cluster.daemons().restartNodeManager(restarted);
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            assertThat(figures.task("REDUCE_SHUFFLE_BYTES").total())
                    .isGreaterThan(reducers * ((long) bufferMb << 20));
            assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
            assertFailedForTheStockNodeOnly(figures);
            return Figures.of(figures, ShuffleCounter.STREAMS_RESUMED) > 0;
        }
    }

    /** In the default buffer all of it is copied before the first record comes. */
    @Test
    void aReducerThatCopiesWaitsForANodeManagerThatIsStartedAgain() throws Exception {
        Situation.await("a fetch tried again, and no map that ran again", this::waitsForNode);
    }

    private boolean hasRetried(final JobFigures figures) {
        return figures.withLogs(cluster.taskLogs(figures.jobId())).reduceReports().stream()
                .anyMatch(report -> report.number("retries").orElse(0) > 0);
    }

    private boolean waitsForNode() throws Exception {
        // One reducer: each JVM that starts delays the NodeManager's restart, and a node
        // that comes back too late counts as lost.
        final Map<String, String> properties =
                Map.of(
                        FailureSite.JOB_REDUCES,
                        "1",
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "1.0");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            final int restarted = job.nodeToHarm(job.awaitMapOutputs());
            job.openGate();
            // The reducer's JVM starts, and copies only after the NodeManager has ended.
            job.await("a reducer that starts", job::hasReducers);
            cluster.daemons().killNodeManager(restarted);
            cluster.daemons().restartNodeManager(restarted);
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
            assertFailedForTheStockNodeOnly(figures);
            return Figures.lostMapAttempts(figures) == 0 && hasRetried(figures);
        }
    }
}
