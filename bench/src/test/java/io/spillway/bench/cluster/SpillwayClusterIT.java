package io.spillway.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.compare.ComparisonResult;
import io.spillway.bench.compare.OutputCheck;
import io.spillway.bench.compare.TeraCheck;
import io.spillway.bench.compare.Workload;
import io.spillway.bench.run.JobFigures;
import io.spillway.bench.run.MeasuredJobs;
import io.spillway.bench.run.Monitor;
import io.spillway.report.ShuffleFigure;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Spillway against stock Hadoop 3.5.0 on one cluster of two nodes. */
class SpillwayClusterIT {
    private static final long MIB = 1L << 20;

    private static LocalCluster cluster;

    @BeforeAll
    static void start() {
        cluster = Clusters.start(ClusterSpec.defaults().withName("it-spillway"));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.stop(true);
            assertThat(
                            MarkedProcesses.find(
                                    cluster.clientEnvironment().get(MarkedProcesses.VARIABLE)))
                    .isEmpty();
        }
    }

    private static void assertServedBySpillway(final JobFigures job) {
        assertThat(Clusters.figure(job, ShuffleFigure.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(Clusters.figure(job, ShuffleFigure.FETCH_HTTP_BYTES)).isZero();
        assertThat(Clusters.figure(job, ShuffleFigure.STOCK_FALLBACKS)).isZero();
    }

    @Test
    void teraSortIsIdenticalAndValid() {
        final TeraCheck check = new TeraCheck(new MeasuredJobs(cluster, Monitor.NONE, job -> {}));
        final ComparisonResult result =
                Clusters.compare(cluster, Workload.TERASORT, 64 * MIB, check, Map.of());

        assertThat(check.problems()).isEmpty();
        assertThat(result.disagreements()).isEmpty();
        assertThat(result.outputsIdentical()).isTrue();
        assertServedBySpillway(Clusters.spillwayRun(result));
    }

    @Test
    void wordCountWithACombinerAndManySpillsAgrees() {
        final ComparisonResult result =
                Clusters.compare(
                        cluster,
                        Workload.WORDCOUNT,
                        24 * MIB,
                        OutputCheck.NONE,
                        Map.of("mapreduce.task.io.sort.mb", "1"));

        assertThat(result.disagreements()).isEmpty();
        assertThat(result.outputsIdentical()).isTrue();
        assertServedBySpillway(Clusters.spillwayRun(result));
    }

    @Test
    void sortOfRecordsOfRandomSizesWithACodecAgrees() {
        final ComparisonResult result =
                Clusters.compare(
                        cluster,
                        Workload.SORT,
                        32 * MIB,
                        OutputCheck.NONE,
                        Map.of("mapreduce.map.output.compress", "true"));

        assertThat(result.disagreements()).isEmpty();
        assertServedBySpillway(Clusters.spillwayRun(result));
    }
}
