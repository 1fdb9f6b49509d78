// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.report.ShuffleCounter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Encrypted intermediate data: the stored files have no plain text, and stock and Spillway read
 * each other's outputs.
 */
@ExtendWith(OnFailureSite.class)
class EncryptedDataIT {
    private static final String ENCRYPTED = "mapreduce.job.encrypted-intermediate-data";

    private final FailureSite site;

    EncryptedDataIT(final FailureSite site) {
        this.site = site;
    }

    private static Map<String, String> job(final boolean encrypted, final String... more) {
        final Map<String, String> properties = new HashMap<>();
        properties.put(ENCRYPTED, String.valueOf(encrypted));
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        return properties;
    }

    /**
     * The second half shows that the first one can fail. Maps leave their spills as runs, and
     * reducers write segments that come over HTTP and do not fit their memory to disk. YARN chooses
     * the maps of the stock node, whose outputs alone come over HTTP.
     */
    @Test
    void noPlainTextIsInAnyFileWhileAJobHoldsItsOutputs() throws Exception {
        final PlainText text = new PlainText(site);
        final String situation = "outputs in memory, and segments over HTTP that go to disk";
        Situation.await(situation, () -> isInFiles(true, text, Set.of()));
        Situation.await(situation, () -> isInFiles(false, text, text.all()));
    }

    private boolean isInFiles(
            final boolean encrypted, final PlainText text, final Set<String> expected)
            throws Exception {
        final Map<String, String> properties =
                job(
                        encrypted,
                        "mapreduce.task.io.sort.mb",
                        "1",
                        "spillway.shuffle.buffer.bytes",
                        "1m",
                        "spillway.output.tiers",
                        "memory,lustre,disk");
        try (RunningJob job = RunningJob.withReducersHeld(site, properties)) {
            job.awaitReducing(FailureSite.REDUCERS);
            final Set<String> inOutputs = text.inOutputs(job.mapOutputs());
            final String number = job.id().substring("job_".length());
            final Set<String> onDisk = text.inFiles(number, folders());
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            assertThat(inOutputs).isEqualTo(expected);
            assertThat(expected).containsAll(onDisk);
            assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
            Figures.assertNothingLost(figures);
            return onDisk.isEmpty() == expected.isEmpty()
                    && Figures.of(figures, ShuffleCounter.FETCH_HTTP_DISK_BYTES) > 0
                    && Figures.of(figures, ShuffleCounter.OUTPUT_MEMORY_BYTES) > 0;
        }
    }

    /** The folders to which nodes and tasks write, without memory: jobs reuse its files. */
    private List<Path> folders() {
        final List<Path> folders = new ArrayList<>();
        for (int node = 0; node < FailureSite.NODES; node++) {
            folders.add(site.cluster().nodeFolder(node));
        }
        folders.add(site.sharedDirectory());
        return folders;
    }

    @Test
    void reducersReadWhatStocksMapsHaveLeft() {
        final Map<String, String> properties =
                job(
                        true,
                        "mapreduce.job.map.output.collector.class",
                        "org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
        properties.putAll(FailureSite.FEW_MAPS);
        final JobFigures figures = site.runAndCompare(properties);

        assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        assertThat(
                        Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)
                                + Figures.of(figures, ShuffleCounter.FETCH_HTTP_BYTES))
                .isPositive();
        Figures.assertNothingLost(figures);
    }

    @Test
    void stocksReducersReadWhatMapsHaveLeft() {
        final Map<String, String> properties =
                job(true, "spillway.shuffle.enabled", "false", "mapreduce.task.io.sort.mb", "1");
        properties.putAll(FailureSite.FEW_MAPS);
        final JobFigures figures = site.runAndCompare(properties);

        assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS))
                .isEqualTo(FailureSite.REDUCERS);
        assertThat(
                        site.taskLogLines(
                                figures.jobId(),
                                "Map output collector class ="
                                        + " io.spillway.hadoop.SpillwayCollector"))
                .hasSize(figures.maps());
        assertThat(Figures.lostMapAttempts(figures)).isZero();
    }
}
