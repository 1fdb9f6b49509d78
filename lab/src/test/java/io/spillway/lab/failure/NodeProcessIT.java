// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.run.JobFigures;
import io.spillway.report.ShuffleCounter;
import org.junit.jupiter.api.Test;

/** A node process that a NodeManager has started, and that is killed while a job runs. */
class NodeProcessIT extends NodeProcessScenario {
    NodeProcessIT(final FailureSite site) {
        super(site);
    }

    @Test
    void itsDeathIsNamedAndCostsTheJobNothing() throws Exception {
        try (RunningJob job = node.startJob()) {
            final long killed = node.pid();
            assertThat(ProcessHandle.of(killed).orElseThrow().destroyForcibly()).isTrue();
            job.await(
                    "another one that knows the job",
                    () -> node.knows(job.id()) && node.pid() != killed);
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            assertThat(
                            site.nodeLogLines(
                                    SiteNodeProcess.NODE,
                                    "The node process " + killed + " has died"))
                    .singleElement()
                    .asString()
                    .contains("signal 9 (SIGKILL); starting it again in");
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
            Figures.assertNothingLost(figures);
            assertThat(site.cluster().status().isComplete()).isTrue();
            RunningJob.awaitAfterwards("the job's end", () -> !node.knows(job.id()));
            assumeTrue(SiteNodeProcess.HAS_UCX, "no ucx here");
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_UCX_BYTES)).isPositive();
        }
    }
}
