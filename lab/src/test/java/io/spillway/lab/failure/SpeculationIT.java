// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.report.ShuffleCounter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Attempts of one task that run side by side: the faster one counts, the other is killed. */
@ExtendWith(OnFailureSite.class)
class SpeculationIT {
    private final FailureSite site;

    SpeculationIT(final FailureSite site) {
        this.site = site;
    }

    /**
     * They hang until the test ends: a map with half of its output spilled, and a reducer at its
     * first record. So the job ends only by the second attempts.
     */
    @Test
    void secondAttemptsOvertakeAMapAndAReducerThatHang() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        "mapreduce.map.speculative", "true",
                        "mapreduce.reduce.speculative", "true",
                        "mapreduce.job.speculative.slowtaskthreshold", "0.1",
                        "mapreduce.job.speculative.retry-after-no-speculate", "250",
                        "mapreduce.job.speculative.retry-after-speculate", "500",
                        "mapreduce.task.progress-report.interval", "250",
                        "mapreduce.task.io.sort.mb", "1");
        try (RunningJob job = RunningJob.withSlowAttempts(site, properties)) {
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            // Not the killed ones: the job may end before its last kill has been counted.
            assertThat(Figures.of(figures, "TOTAL_LAUNCHED_MAPS"))
                    .isGreaterThan(FailureSite.DATA_MAPS + 1);
            assertThat(Figures.of(figures, "TOTAL_LAUNCHED_REDUCES"))
                    .isGreaterThan(FailureSite.REDUCERS);
            assertThat(Figures.of(figures, "NUM_FAILED_MAPS")).isZero();
            assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isZero();
            assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        }
    }
}
