// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.report.ShuffleCounter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A job whose output depends on the order of equal keys: 64 keys among 180,000 records. Whatever
 * becomes of its nodes, its values come in the order of the maps and of emission, byte for byte.
 */
@ExtendWith(OnFailureSite.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EqualKeysOrderIT {
    private static final int PLACE_LENGTH = GatedSort.TIES_PLACE.formatted(0, 0).length();

    private final FailureSite site;
    private final LocalCluster cluster;
    private Path undisturbed;

    EqualKeysOrderIT(final FailureSite site) {
        this.site = site;
        this.cluster = site.cluster();
    }

    /** Several runs or spills a map, and two segments are enough for a merge ahead. */
    private static Map<String, String> properties(final String... more) {
        final Map<String, String> properties = new HashMap<>();
        properties.put(GatedSort.TIES, "true");
        properties.put("mapreduce.task.io.sort.mb", "1");
        properties.put("spillway.spill.merge", "never");
        properties.put("spillway.shuffle.merge.factor", "2");
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        return properties;
    }

    /** The output of a run that nothing disturbs; it is in order and complete. */
    @BeforeAll
    void runUndisturbed() throws InterruptedException {
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties())) {
            job.openGate();
            job.awaitSuccess();
            final List<String> read = new ArrayList<>();
            for (final List<String> part : FailureSite.lines(job.output())) {
                // Each line begins with its key, its map's number and its place there.
                assertThat(part).isSortedAccordingTo(Comparator.naturalOrder());
                part.forEach(line -> read.add(original(line)));
            }
            assertThat(sorted(read).equals(sorted(site.inputLines()))).as("all lines").isTrue();
            undisturbed = job.output();
        }
    }

    /** A job that ends before YARN takes its node for lost runs no map again. */
    @Test
    void isTheSameWhereMapsRanAgainWhileReducersCopied() throws Exception {
        Situation.await("maps that ran again while reducers copied", this::runsMapsAgain);
    }

    private boolean runsMapsAgain() throws Exception {
        final Map<String, String> properties =
                properties(
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "0.05",
                        "spillway.shuffle.buffer.bytes",
                        "8m",
                        "spillway.shuffle.stream.retry.ms",
                        "2000");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            final int lost = job.nodeToHarm(job.awaitMapOutputs());
            job.awaitCopying();
            cluster.daemons().crashNode(lost);
            final JobFigures figures = finishWithout(lost, job);

            FailureSite.assertSameParts(job.output(), undisturbed);
            return Figures.lostMapAttempts(figures) > 0;
        }
    }

    /** Without the stock node, which cannot give the rest of an output only. */
    @Test
    void isTheSameWhereMapsRanAgainWhileTheirRecordsWereBeingMerged() throws Exception {
        cluster.daemons().decommission(FailureSite.STOCK_NODE);
        try {
            Situation.await("a merge that went on with another attempt", this::failsOver);
        } finally {
            cluster.daemons().recommission(FailureSite.STOCK_NODE);
        }
    }

    private boolean failsOver() throws Exception {
        final Map<String, String> properties = properties("spillway.shuffle.buffer.bytes", "1m");
        try (RunningJob job = RunningJob.withReducersHeld(site, properties)) {
            final int lost = job.nodeToHarm(job.awaitMapOutputs());
            job.awaitReducing(2);
            cluster.daemons().killNodeManager(lost);
            final JobFigures figures = finishWithout(lost, job);

            assertThat(Figures.lostMapAttempts(figures)).isPositive();
            FailureSite.assertSameParts(job.output(), undisturbed);
            return Figures.of(figures, ShuffleCounter.ATTEMPT_FAILOVERS) > 0;
        }
    }

    private JobFigures finishWithout(final int lost, final RunningJob job)
            throws InterruptedException {
        try {
            job.openGate();
            return site.figures(job.awaitSuccess());
        } finally {
            cluster.daemons().restartNodeManager(lost);
        }
    }

    private static List<String> sorted(final List<String> lines) {
        return lines.stream().sorted().toList();
    }

    /** Without the tab and the place. */
    private static String original(final String line) {
        return line.charAt(0) + line.substring(2 + PLACE_LENGTH);
    }
}
