package io.spillway.bench.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.run.JobFigures;
import io.spillway.report.ShuffleFigure;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A node with the stock handler and without our jar, among others. */
@ExtendWith(OnFailureSite.class)
class MixedNodesIT {
    private final FailureSite site;

    MixedNodesIT(final FailureSite site) {
        this.site = site;
    }

    @Test
    void itsOutputComesOverHttpAndThroughLocalDiskWhereMemoryIsShort() {
        final JobFigures job = site.runAndCompare(Map.of("spillway.shuffle.buffer.bytes", "1m"));

        assertThat(Figures.of(job, ShuffleFigure.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(Figures.of(job, ShuffleFigure.FETCH_HTTP_BYTES)).isPositive();
        assertThat(Figures.of(job, ShuffleFigure.FETCH_HTTP_DISK_BYTES)).isPositive();
        assertThat(Figures.of(job, ShuffleFigure.STOCK_FALLBACKS)).isZero();
    }
}
