package io.spillway.bench.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.cluster.LocalCluster;
import io.spillway.bench.run.JobFigures;
import io.spillway.node.control.StatusClient;
import io.spillway.report.ShuffleFigure;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A node process that a NodeManager has started, and that is killed while a job runs. */
@ExtendWith(OnFailureSite.class)
class NodeProcessIT {
    private static final int LAUNCHING_NODE = 1;
    private static final boolean HAS_UCX =
            Boolean.parseBoolean(System.getenv("SPILLWAY_TEST_UCX_REQUIRED"));
    private static final Pattern PID = Pattern.compile("\"pid\":(\\d+)");

    private final FailureSite site;
    private final LocalCluster cluster;

    NodeProcessIT(final FailureSite site) {
        this.site = site;
        this.cluster = site.cluster();
    }

    @BeforeEach
    void launch() {
        restart(Map.of("spillway.node.launch", "true", "spillway.node.heap", "64m"));
    }

    @AfterEach
    void launchNoMore() {
        restart(Map.of());
        // The one that outlives its NodeManager's kill would serve on for the grace time.
        ProcessHandle.of(pid()).ifPresent(ProcessHandle::destroyForcibly);
    }

    private void restart(final Map<String, String> properties) {
        cluster.killNodeManager(LAUNCHING_NODE);
        cluster.restartNodeManager(LAUNCHING_NODE, properties);
    }

    private String status() {
        try {
            return StatusClient.ask(cluster.nodeSocket());
        } catch (final IOException e) {
            return "";
        }
    }

    /** Of the process that runs now; -1 for none. */
    private long pid() {
        final Matcher pid = PID.matcher(status());
        return pid.find() ? Long.parseLong(pid.group(1)) : -1;
    }

    @Test
    void itsDeathIsNamedAndCostsTheJobNothing() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "0.05",
                        "spillway.transport",
                        "ucx");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            final boolean servesOutputs =
                    job.awaitMapOutputs().stream()
                            .anyMatch(output -> output.node() == LAUNCHING_NODE);
            job.awaitCopying();
            job.await("a node process that knows the job", () -> status().contains(job.id()));
            final long killed = pid();
            assertThat(ProcessHandle.of(killed).orElseThrow().destroyForcibly()).isTrue();
            job.await(
                    "another one that knows the job",
                    () -> status().contains(job.id()) && pid() != killed);
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            assertThat(
                            site.nodeLogLines(
                                    LAUNCHING_NODE, "The node process " + killed + " has died"))
                    .singleElement()
                    .asString()
                    .contains("signal 9 (SIGKILL); starting it again in");
            assertThat(Figures.of(figures, ShuffleFigure.FETCH_SPILLWAY_BYTES)).isPositive();
            if (HAS_UCX && servesOutputs) {
                assertThat(Figures.of(figures, ShuffleFigure.FETCH_UCX_BYTES)).isPositive();
            }
            assertThat(Figures.of(figures, ShuffleFigure.STOCK_FALLBACKS)).isZero();
            assertThat(Figures.lostMapAttempts(figures)).isZero();
            assertThat(Figures.of(figures, "NUM_FAILED_REDUCES")).isZero();
            assertThat(cluster.status().isComplete()).isTrue();
            job.awaitAfterwards("the job's end", () -> !status().contains(job.id()));
        }
    }
}
