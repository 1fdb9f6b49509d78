// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.report.ShuffleCounter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nodes that an administrator takes out of the cluster. */
@ExtendWith(OnFailureSite.class)
class DecommissionIT {
    private final FailureSite site;

    DecommissionIT(final FailureSite site) {
        this.site = site;
    }

    @Test
    void mapsOfADecommissionedNodeAreRunAgainBeforeReducersStart() throws Exception {
        final Map<String, String> properties =
                Map.of("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            final int left = job.nodeToHarm(job.awaitMapOutputs());
            site.cluster().daemons().decommission(left);
            final JobFigures figures;
            try {
                job.openGate();
                figures = site.figures(job.awaitSameOutputAsStock());
            } finally {
                site.cluster().daemons().recommission(left);
            }

            assertThat(Figures.of(figures, "NUM_KILLED_MAPS")).isPositive();
            assertThat(Figures.of(figures, "NUM_FAILED_MAPS")).isZero();
            assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isZero();
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
            assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        }
    }
}
