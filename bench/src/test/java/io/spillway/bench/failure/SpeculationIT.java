package io.spillway.bench.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.run.JobFigures;
import io.spillway.report.ShuffleFigure;
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

    /** Both hang with half of their work done: a map with spills, a reducer with all its input. */
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

            assertThat(Figures.of(figures, "NUM_KILLED_MAPS")).isPositive();
            assertThat(Figures.of(figures, "NUM_KILLED_REDUCES")).isPositive();
            assertThat(Figures.of(figures, "NUM_FAILED_MAPS")).isZero();
            assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isZero();
            assertThat(Figures.of(figures, ShuffleFigure.STOCK_FALLBACKS)).isZero();
        }
    }
}
