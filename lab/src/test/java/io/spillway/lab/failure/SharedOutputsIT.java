// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.report.ShuffleCounter;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Map outputs in a directory that all hosts have, read where they lie. It has a cluster of its own:
 * what is shown here is what reducers do while YARN has not noticed that a NodeManager is gone.
 */
class SharedOutputsIT {
    private static final Duration SILENCE = Duration.ofMinutes(10);
    private static final int MAPS = FailureSite.DATA_MAPS + 1;

    private static FailureSite site;

    @BeforeAll
    static void start() {
        site = FailureSite.start("it-shared-outputs", SILENCE);
    }

    @AfterAll
    static void stop() {
        site.cluster().stop(true);
    }

    private static Map<String, String> job(final String transport) {
        return Map.of(
                "spillway.output.tiers",
                "lustre,disk",
                "spillway.transport",
                transport,
                "mapreduce.job.reduce.slowstart.completedmaps",
                "1.0");
    }

    @Test
    void reducersReadThroughTheDirectory() {
        final JobFigures figures = site.runAndCompare(job("sharedfs"));

        Figures.assertNothingLost(figures);
        assertThat(Figures.of(figures, ShuffleCounter.FETCH_SHAREDFS_BYTES))
                .isPositive()
                .isEqualTo(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertThat(Figures.of(figures, ShuffleCounter.FETCH_SHAREDFS_OPENS))
                .isBetween(1L, MAPS * FailureSite.REDUCERS * 12 / 10L);
    }

    /** The reducers start when the NodeManager is gone. */
    @Test
    void noMapRunsAgainForANodeManagerThatIsGone() throws Exception {
        try (RunningJob job = RunningJob.withLastMapHeld(site, job("auto"))) {
            final int lost = job.nodeToHarm(job.awaitMapOutputs());
            site.cluster().daemons().killNodeManager(lost);
            final JobFigures figures;
            try {
                job.openGate();
                figures = site.figures(job.awaitSameOutputAsStock());
            } finally {
                site.cluster().daemons().restartNodeManager(lost);
            }

            Figures.assertNothingLost(figures);
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SHAREDFS_BYTES)).isPositive();
            assertThat(site.taskLogLines(job.id(), "cannot be reached: "))
                    .anySatisfy(line -> assertThat(line).contains("go on at nodes that hold"));
        }
    }
}
