// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A node with two local directories, one of which fails with map output in it. */
@ExtendWith(OnFailureSite.class)
class LocalDirsIT {
    private static final int NODE = 1;

    /** Hadoop draws a directory for each map: four maps of a node seldom have the same one. */
    private static final int MAPS_PER_FILE = 2;

    private static final int DATA_MAPS = MAPS_PER_FILE * FailureSite.DATA_MAPS;

    private final FailureSite site;
    private final LocalCluster cluster;
    private Path first;
    private Path second;

    LocalDirsIT(final FailureSite site) {
        this.site = site;
        this.cluster = site.cluster();
    }

    @BeforeEach
    void addADirectory() {
        first = cluster.nodeFolder(NODE).resolve("local");
        second = cluster.nodeFolder(NODE).resolve("second/local");
        restart(
                Map.of(
                        "yarn.nodemanager.local-dirs",
                        first + "," + second,
                        "yarn.nodemanager.disk-health-checker.interval-ms",
                        "500"));
    }

    @AfterEach
    void removeIt() {
        restart(Map.of());
    }

    private void restart(final Map<String, String> properties) {
        cluster.daemons().killNodeManager(NODE);
        cluster.daemons().restartNodeManager(NODE, properties);
    }

    @Test
    void mapsOfADirectoryThatFailsAreRunAgainAndTheOtherIsServed() throws Exception {
        Situation.await("outputs in both directories", this::losesADirectory);
    }

    private boolean losesADirectory() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "1.0",
                        "mapreduce.reduce.shuffle.max-fetch-failures-notifications",
                        "1",
                        "mapreduce.input.fileinputformat.split.maxsize",
                        String.valueOf(FailureSite.FILE_LENGTH / MAPS_PER_FILE),
                        "spillway.output.tiers",
                        "disk");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            job.await(
                    "the end of the other maps",
                    () -> job.mapPercent() >= 100 * DATA_MAPS / (DATA_MAPS + 1));
            final List<MapOutput> kept = outputs(job, first);
            final List<MapOutput> lost = outputs(job, second);
            if (kept.isEmpty() || lost.isEmpty()) {
                return false;
            }
            final Path gone = second.resolveSibling("gone");
            Files.move(second, gone);
            Files.writeString(second, "a file is no directory");
            try {
                job.await(
                        "a NodeManager that has noticed",
                        () -> !site.nodeLogLines(NODE, second + " error").isEmpty());
                job.openGate();
                final JobFigures figures = site.figures(job.awaitSameOutputAsStock());
                assertThat(Figures.lostMapAttempts(figures)).isGreaterThanOrEqualTo(lost.size());
                assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
                assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
                assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isZero();
                return true;
            } finally {
                restore(gone);
            }
        }
    }

    private void restore(final Path gone) throws IOException {
        Files.delete(second);
        Files.move(gone, second);
    }

    private static List<MapOutput> outputs(final RunningJob job, final Path local) {
        return MapOutput.findBelow(local, NODE, job.id());
    }
}
