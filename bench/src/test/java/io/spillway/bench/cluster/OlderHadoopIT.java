package io.spillway.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.compare.ComparisonResult;
import io.spillway.bench.compare.OutputCheck;
import io.spillway.bench.compare.Workload;
import io.spillway.report.ShuffleFigure;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The same jar on Hadoop 3.4.2, with its data on HDFS. */
class OlderHadoopIT {
    @Test
    void sortOfRecordsOfRandomSizesWithACodecAgrees() {
        final LocalCluster cluster =
                Clusters.start(
                        ClusterSpec.defaults()
                                .withName("it-older")
                                .withHadoopVersion("3.4.2")
                                .withFileSystem(ClusterSpec.FileSystemKind.HDFS));
        try {
            final ComparisonResult result =
                    Clusters.compare(
                            cluster,
                            Workload.SORT,
                            16L << 20,
                            OutputCheck.NONE,
                            Map.of("mapreduce.map.output.compress", "true"));

            assertThat(result.disagreements()).isEmpty();
            assertThat(
                            Clusters.figure(
                                    Clusters.spillwayRun(result),
                                    ShuffleFigure.FETCH_SPILLWAY_BYTES))
                    .isPositive();
        } finally {
            cluster.stop(true);
        }
    }
}
