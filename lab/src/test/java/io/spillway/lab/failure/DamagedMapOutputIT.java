// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobResult;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Map output that is damaged after its map has ended, before a reducer has read it. */
@ExtendWith(OnFailureSite.class)
class DamagedMapOutputIT {
    private static final String SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps";
    private static final String OUTPUT_TIERS = "spillway.output.tiers";
    private static final String COLLECTOR = "mapreduce.job.map.output.collector.class";
    private static final String STOCK_COLLECTOR =
            "org.apache.hadoop.mapred.MapTask$MapOutputBuffer";
    private static final String BUFFER = "spillway.shuffle.buffer.bytes";
    private static final String NOTIFICATIONS =
            "mapreduce.reduce.shuffle.max-fetch-failures-notifications";

    private final FailureSite site;

    DamagedMapOutputIT(final FailureSite site) {
        this.site = site;
    }

    private void assertMapWasRunAgain(final JobResult result, final MapOutput damaged)
            throws IOException {
        assertThat(Files.readString(result.log()))
                .contains(damaged.attempt() + ", Status : FAILED");
    }

    @Test
    void damagedOutputsAreNoticedAndTheirMapsAreRunAgain() throws Exception {
        final Map<String, String> properties =
                Map.of(SLOW_START, "1.0", NOTIFICATIONS, "1", OUTPUT_TIERS, "disk");
        Situation.awaitOutputs(site, properties, 3, this::damageThree);
    }

    private void damageThree(final RunningJob job, final List<MapOutput> outputs) throws Exception {
        outputs.get(0).flipBitOfEverySegment(0.9);
        outputs.get(1).truncate();
        Files.delete(outputs.get(2).index());
        job.openGate();
        final JobResult result = job.awaitSameOutputAsStock();

        for (int damaged = 0; damaged < 3; damaged++) {
            assertMapWasRunAgain(result, outputs.get(damaged));
        }
        assertTaskLogNames(job, "Damaged map output of", outputs.get(0).attempt());
        assertTaskLogNames(job, "tier disk", outputs.get(0).attempt());
        assertTaskLogNames(job, "/file.out", outputs.get(1).attempt());
        assertTaskLogNames(job, "has no file.out.index", outputs.get(2).attempt());
    }

    private void assertTaskLogNames(final RunningJob job, final String text, final String attempt) {
        assertThat(site.taskLogLines(job.id(), text))
                .anySatisfy(line -> assertThat(line).contains(attempt));
    }

    /** Framing, key lengths or values: whatever is hit, no record of it is merged. */
    @ParameterizedTest
    @ValueSource(strings = {"disk", "memory"})
    void damageOfStreamsIsFoundBeforeRecordsAreReadAndTheMapIsRunAgain(final String tier)
            throws Exception {
        final Map<String, String> properties =
                Map.of(SLOW_START, "1.0", OUTPUT_TIERS, tier, BUFFER, "1m");
        Situation.awaitOutputs(
                site, properties, 1, (job, outputs) -> damageOne(tier, job, outputs.get(0)));
    }

    private void damageOne(final String tier, final RunningJob job, final MapOutput damaged)
            throws Exception {
        damaged.flipBitOfEverySegment(0.8);
        job.openGate();
        final JobResult result = job.awaitSameOutputAsStock();

        assertMapWasRunAgain(result, damaged);
        assertTaskLogNames(job, "fetching the piece again", damaged.attempt());
        assertTaskLogNames(job, "tier " + tier, damaged.attempt());
    }

    @Test
    void damageOfTheStockCollectorsOutputFailsTheAttemptAndTheMapIsRunAgain() throws Exception {
        final Map<String, String> properties =
                Map.of(SLOW_START, "1.0", COLLECTOR, STOCK_COLLECTOR, BUFFER, "1m");
        Situation.awaitOutputs(
                site, properties, 1, (job, outputs) -> damageStocks(job, outputs.get(0)));
    }

    private void damageStocks(final RunningJob job, final MapOutput damaged) throws Exception {
        damaged.flipBitOfEverySegment(0.8);
        job.openGate();
        final JobResult result = job.awaitSameOutputAsStock();
        final JobFigures figures = site.figures(result);

        assertMapWasRunAgain(result, damaged);
        assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isPositive();
        assertTaskLogNames(job, "Checksum error in map output of", damaged.attempt());
    }
}
