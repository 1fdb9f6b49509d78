// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobResult;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.site.WorkFolder;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Maps that fail for good, that do not go when they have ended, and that have to run again. */
@ExtendWith(OnFailureSite.class)
class MapAttemptsIT {
    private static final String SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps";
    private static final String NOTIFICATIONS =
            "mapreduce.reduce.shuffle.max-fetch-failures-notifications";

    private final FailureSite site;

    MapAttemptsIT(final FailureSite site) {
        this.site = site;
    }

    /** Half of its records are in spills when the map fails: none of them is in the output. */
    @Test
    void aMapThatMayFailLeavesOutItsRecordsAsWithStock() {
        final Map<String, String> properties =
                Map.of(
                        GatedSort.FAILING_INPUT,
                        "data-1",
                        "mapreduce.map.failures.maxpercent",
                        "20",
                        "mapreduce.map.maxattempts",
                        "2",
                        "mapreduce.task.io.sort.mb",
                        "1");
        final Path expected = site.newPath("out");
        final CompletableFuture<JobResult> stock =
                CompletableFuture.supplyAsync(() -> run(site.stock(expected).with(properties)));
        final Path output = site.newPath("out");
        final JobFigures figures = site.figures(run(site.spillway(output).with(properties)));
        stock.join();

        FailureSite.assertSameParts(output, expected);
        assertThat(FailureSite.lines(output).stream().mapToInt(List::size).sum())
                .isEqualTo(site.inputLines().size() - FailureSite.LINES);
        assertThat(Figures.of(figures, "NUM_FAILED_MAPS")).isEqualTo(2);
        assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        RunningJob.awaitNothingLeft(site, figures.jobId());
    }

    private JobResult run(final JobSpec spec) {
        final JobResult result = site.cluster().submit(spec);
        FailureSite.assertSucceeded(site.cluster(), result);
        return result;
    }

    @Test
    void aMapWhoseJvmLingersHoldsNothingOfAnOutputThatVanishes() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        SLOW_START,
                        "1.0",
                        NOTIFICATIONS,
                        "1",
                        GatedSort.LINGERING,
                        "true",
                        "mapreduce.task.exit.timeout",
                        "600000");
        Situation.awaitOutputs(site, properties, 1, this::vanishesBesideItsJvm);
    }

    private void vanishesBesideItsJvm(final RunningJob job, final List<MapOutput> outputs)
            throws Exception {
        final MapOutput lost = outputs.get(0);
        final ProcessHandle lingering = RunningJob.jvmOf(lost.attempt()).orElseThrow();
        final Path data = lost.data().toRealPath();
        job.await("a JVM that has let go of " + data, () -> !holds(lingering, data));
        vanish(lost);
        job.openGate();
        final JobResult result = job.awaitSameOutputAsStock();

        assertRanAgain(result, lost);
        RunningJob.awaitNothingLeft(site, job.id());
    }

    /** Its own files, and what the node keeps of it in memory. */
    private static void vanish(final MapOutput output) throws IOException {
        Files.delete(output.data().toRealPath());
        WorkFolder.deleteTree(output.folder());
    }

    private static void assertRanAgain(final JobResult result, final MapOutput output)
            throws IOException {
        assertThat(Files.readString(result.log())).contains(output.attempt() + ", Status : FAILED");
    }

    /** Whether a process has a file open, or mapped. */
    private static boolean holds(final ProcessHandle process, final Path file) {
        final Path proc = Path.of("/proc", Long.toString(process.pid()));
        try (Stream<Path> open = Files.list(proc.resolve("fd"));
                Stream<String> mapped = Files.lines(proc.resolve("maps"))) {
            return open.anyMatch(descriptor -> isOf(descriptor, file))
                    || mapped.anyMatch(line -> line.endsWith(" " + file));
        } catch (final IOException e) {
            throw new AssertionError("the JVM " + process.pid() + " has ended", e);
        }
    }

    private static boolean isOf(final Path descriptor, final Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (final IOException e) {
            return false; // closed meanwhile
        }
    }

    /** All memory of the nodes is the master's and the reducers' when the map has to run again. */
    @Test
    void aMapRunsAgainWhereReducersFillTheCluster() throws Exception {
        final String container = String.valueOf(site.cluster().size().masterMb());
        final int reducers = containers() - 1;
        final Map<String, String> properties =
                Map.of(
                        SLOW_START,
                        "1.0",
                        NOTIFICATIONS,
                        "1",
                        FailureSite.JOB_REDUCES,
                        String.valueOf(reducers),
                        "mapreduce.map.memory.mb",
                        container,
                        "mapreduce.reduce.memory.mb",
                        container);
        Situation.awaitOutputs(site, properties, 1, this::vanishesAmongReducers);
    }

    private int containers() {
        final int ofANode = site.cluster().size().nodeMb() / site.cluster().size().masterMb();
        return FailureSite.NODES * ofANode;
    }

    private void vanishesAmongReducers(final RunningJob job, final List<MapOutput> outputs)
            throws Exception {
        vanish(outputs.get(0));
        job.openGate();
        final JobResult result = job.awaitSameOutputAsStock();
        final JobFigures figures = site.figures(result);

        assertRanAgain(result, outputs.get(0));
        assertThat(Figures.of(figures, "NUM_KILLED_REDUCES")).as("preempted").isPositive();
        assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isZero();
        assertThat(Figures.of(figures, ShuffleCounter.STOCK_FALLBACKS)).isZero();
        RunningJob.awaitNothingLeft(site, job.id());
    }
}
