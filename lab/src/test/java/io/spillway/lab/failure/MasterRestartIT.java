// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.report.ShuffleCounter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** ApplicationMasters that are killed, and one that must not end before its job. */
@ExtendWith(OnFailureSite.class)
class MasterRestartIT {
    private final FailureSite site;

    MasterRestartIT(final FailureSite site) {
        this.site = site;
    }

    /** They lie in runs in memory on two nodes, and in a file on the disk of the stock one. */
    @Test
    void reducersOfTheSecondMasterFetchWhatMapsOfTheFirstHaveLeft() throws Exception {
        Situation.await("outputs on the stock node beside Spillway's", this::losesItsMaster);
    }

    private boolean losesItsMaster() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        "mapreduce.task.io.sort.mb",
                        "1",
                        "fs.file.impl",
                        GatedSort.UncheckedFiles.class.getName());
        try (RunningJob job = RunningJob.withReducersHeld(site, properties)) {
            job.awaitReducing(FailureSite.REDUCERS);
            final List<MapOutput> outputs = job.mapOutputs();
            final long ofStock =
                    outputs.stream()
                            .filter(output -> output.node() == FailureSite.STOCK_NODE)
                            .count();
            if (ofStock == 0 || ofStock == outputs.size()) {
                return false;
            }
            job.killMaster();
            job.awaitReducing(2 * FailureSite.REDUCERS);
            assertThat(job.mapOutputs()).containsExactlyInAnyOrderElementsOf(outputs);
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            assertThat(outputs).hasSize(FailureSite.DATA_MAPS + 1);
            assertThat(Figures.of(figures, "TOTAL_LAUNCHED_MAPS")).isEqualTo(outputs.size());
            assertThat(Figures.lostMapAttempts(figures)).isZero();
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_HTTP_BYTES)).isPositive();
            assumeThat(site.cluster().memoryFolder()).isPresent();
            assertThat(Figures.of(figures, ShuffleCounter.OUTPUT_MEMORY_BYTES)).isPositive();
            return true;
        }
    }

    /**
     * With stock's shuffle this is the largest number: 120 with the six of failed fetches and the
     * two of bytes read and written. Maps and reducers have other names each, so that only the
     * ApplicationMaster sees all: one that is beyond the limit ends when its tasks have ended.
     */
    @Test
    void aJobAtHadoopsLimitOfCountersKeepsItsMaster() throws Exception {
        Situation.await("a map on one of Spillway's nodes", this::countsUpToTheLimit);
    }

    private boolean countsUpToTheLimit() {
        final Map<String, String> properties = new TreeMap<>(FailureSite.FEW_MAPS);
        properties.put(GatedSort.MAP_COUNTERS, "80");
        properties.put(GatedSort.REDUCE_COUNTERS, "32");
        final JobFigures figures = site.runAndCompare(properties);

        assertThat(figures.counters().get(GatedSort.COUNTER_GROUP)).hasSize(80 + 32);
        assertThat(site.taskLogLines(figures.jobId(), "LimitExceededException")).isEmpty();
        return Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES) > 0;
    }
}
