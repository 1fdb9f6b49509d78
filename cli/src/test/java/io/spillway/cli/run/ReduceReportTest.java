// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReduceReportTest {
    private static final String HEAD = "2026-11-21 13:00:04,250 INFO [main] ";
    private static final String REPORT =
            HEAD + "io.spillway.hadoop.report.ReportPublisher: Spillway shuffle report ";

    @TempDir private Path folder;

    private Path log(final String name, final String... lines) throws IOException {
        return Files.write(folder.resolve(name), List.of(lines));
    }

    private static String done(final String attempt) {
        return HEAD
                + "org.apache.hadoop.mapred.Task: Task:"
                + attempt
                + " is done. And is in the process of committing";
    }

    @Test
    void takesEveryKeyOfAReducersReport() throws IOException {
        final String attempt = "attempt_1_0001_r_000000_0";
        final Path log =
                log(
                        "r",
                        HEAD + "something else",
                        REPORT
                                + "{\"task\":\""
                                + attempt
                                + "\",\"window_histogram\":[3,0,1],\"stall_budget_millis\":7,"
                                + "\"bufferBudget\":64000000,\"peak_buffer_bytes\":9000000000}",
                        done(attempt));
        final ReduceReport report = ReduceReport.read(List.of(log)).get(0);

        assertThat(report.values())
                .containsEntry("task", attempt)
                .containsEntry("window_histogram", List.of(3, 0, 1));
        assertThat(report.number("peak_buffer_bytes")).hasValue(9_000_000_000L);
        assertThat(report.number("stall_budget_millis")).hasValue(7);
        assertThat(report.budgetBytes()).hasValue(64_000_000);
        assertThat(report.number("task")).isEqualTo(OptionalLong.empty());
        assertThat(report.number("stall_source_millis")).isEmpty();
    }

    @Test
    void tellsNoBudgetWhereThereAreOnlyStallsForIt() throws IOException {
        final String attempt = "attempt_1_0001_r_000000_0";
        final Path log =
                log(
                        "r",
                        REPORT + "{\"task\":\"" + attempt + "\",\"stall_budget_millis\":7}",
                        done(attempt));

        assertThat(ReduceReport.read(List.of(log)).get(0).budgetBytes()).isEmpty();
    }

    @Test
    void leavesOutMapsFailedAttemptsAndLinesThatAreCutOff() throws IOException {
        final Path map =
                log(
                        "m",
                        REPORT + "{\"task\":\"attempt_1_0001_m_000000_0\",\"sort_millis\":7}",
                        done("attempt_1_0001_m_000000_0"));
        final Path failed =
                log("f", REPORT + "{\"task\":\"attempt_1_0001_r_000001_0\",\"stall_millis\":7}");
        final Path cut = log("c", REPORT + "{\"task\":\"attempt_1_00", done("attempt_1_0001_r_2"));

        assertThat(ReduceReport.read(List.of(map, failed, cut))).isEmpty();
    }

    @Test
    void tellsTheTasksOfAnUberJobApart() throws IOException {
        final Path master =
                log(
                        "am",
                        REPORT + "{\"task\":\"attempt_1_0001_m_000000_0\"}",
                        done("attempt_1_0001_m_000000_0"),
                        REPORT + "{\"task\":\"attempt_1_0001_r_000001_0\",\"maps\":1}",
                        done("attempt_1_0001_r_000001_0"),
                        REPORT + "{\"task\":\"attempt_1_0001_r_000000_0\",\"maps\":2}",
                        done("attempt_1_0001_r_000000_0"));

        assertThat(ReduceReport.read(List.of(master)))
                .extracting(report -> report.number("maps").orElse(-1))
                .containsExactly(2L, 1L);
    }
}
