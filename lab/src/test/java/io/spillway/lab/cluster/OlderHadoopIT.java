// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.compare.workload.Workloads;
import io.spillway.report.ShuffleCounter;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The same jar on Hadoop 3.4.2, with its data on HDFS. */
class OlderHadoopIT {
    private static LocalCluster cluster;

    @BeforeAll
    static void start() {
        cluster =
                Clusters.start(
                        ClusterSpec.defaults()
                                .withName("it-older")
                                .withHadoopVersion("3.4.2")
                                .withFileSystem(ClusterSpec.FileSystemKind.HDFS));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.stop(true);
        }
    }

    /** A codec, and records that reducers drain by windows; a combiner over many spills. */
    static Stream<Arguments> jobs() {
        return Stream.of(
                Arguments.of(
                        "drain",
                        Map.of(
                                "mapreduce.map.output.compress", "true",
                                "spillway.shuffle.buffer.bytes", "1m")),
                Arguments.of("invertedindex", Map.of("mapreduce.task.io.sort.mb", "1")));
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void agreesWithStock(final String workload, final Map<String, String> properties) {
        final ComparisonResult result =
                Clusters.compare(
                        cluster,
                        Workloads.named(workload),
                        16L << 20,
                        OutputCheck.NONE,
                        properties);
        final JobFigures spillway = Clusters.spillwayRun(result);

        assertThat(result.disagreements()).isEmpty();
        assertThat(Clusters.figure(spillway, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(Clusters.figure(spillway, ShuffleCounter.FETCH_HTTP_BYTES)).isZero();
        assertThat(Clusters.figure(spillway, ShuffleCounter.STOCK_FALLBACKS)).isZero();
    }
}
