// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.report.LinePlot.Line;
import io.spillway.cli.report.LinePlot.Point;
import io.spillway.cli.run.ReduceReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WaysTest {
    private static final int MIB = 1 << 20;

    private static final String REPORT =
            """
            {"job": "job_1_1", "reducers": [
              {"task": "attempt_1_0001_r_000000_0",
               "sharedfs": {"switches": 1, "probes": 2, "opens": 16, "shared_bytes": 3145728,
                            "shared_millis": 60, "node_bytes": 1048576, "node_millis": 7},
               "sharedfs_began": 1700000000000, "sharedfs_slice_millis": 1000,
               "sharedfs_slice_shared_bytes": [3145728, 0],
               "sharedfs_slice_node_bytes": [0, 1048576]},
              {"task": "attempt_1_0001_r_000001_0",
               "sharedfs": {"switches": 0, "probes": 0, "opens": 16, "shared_bytes": 4194304,
                            "shared_millis": 10, "node_bytes": 0, "node_millis": 0},
               "sharedfs_began": 1700000001500, "sharedfs_slice_millis": 2000,
               "sharedfs_slice_shared_bytes": [4194304],
               "sharedfs_slice_node_bytes": [0]}]}
            """;

    @Test
    void bytesAndTimesAreToldByWay() {
        final Map<String, Object> ways = Ways.describe(ReduceReport.ofReport(REPORT));

        assertThat(ways)
                .containsEntry(
                        "read on the shared file system",
                        Map.of("bytes", 7L * MIB, "millis", 70L, "millisAMebibyte", 10.0))
                .containsEntry(
                        "fetched from nodes",
                        Map.of("bytes", (long) MIB, "millis", 7L, "millisAMebibyte", 7.0))
                .containsEntry("switches", 1L)
                .containsEntry("probes", 2L)
                .containsEntry("opens", 32L);
        assertThat(Ways.describe(List.of(new ReduceReport(Map.of("task", "a"))))).isEmpty();
    }

    @Test
    void thePlotAddsReducersUpSecondBySecond() {
        final LinePlot plot = Ways.plot("job_1_1", ReduceReport.ofReport(REPORT)).orElseThrow();

        assertThat(plot.title()).startsWith("job_1_1");
        assertThat(plot.lines())
                .extracting(Line::name)
                .containsExactly("read on the shared file system", "fetched from nodes");
        assertThat(plot.lines().get(0).points())
                .containsExactly(
                        new Point(0, 3), new Point(1, 1), new Point(2, 2), new Point(3, 1));
        assertThat(plot.lines().get(1).points()).startsWith(new Point(0, 0), new Point(1, 1));
        assertThat(Ways.plot("job_1_1", List.of())).isEmpty();
    }
}
