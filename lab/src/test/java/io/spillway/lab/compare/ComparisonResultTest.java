// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.report.JobReports;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobFigures.CounterValue;
import io.spillway.cli.run.JobStages;
import io.spillway.cli.run.ReduceReport;
import io.spillway.cli.site.ServiceCpu;
import io.spillway.lab.compare.workload.TeraSortWorkload;
import io.spillway.lab.compare.workload.Workloads;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.report.Machine;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ComparisonResultTest {
    private static final String TASK = "org.apache.hadoop.mapreduce.TaskCounter";
    private static final EngineConfig STOCK = EngineConfig.of(Engine.STOCK);
    private static final EngineConfig SPILLWAY = EngineConfig.of(Engine.SPILLWAY);
    private static final Machine MACHINE =
            new Machine(2, "c", 1, "k", "17", "3.5.0", "now", Machine.NO_EMULATION);
    private static final PartDigest GOOD = new PartDigest("part-0", 5, 50, "aa-bb", "cc", true);

    private static Comparison.Plan plan(final int repeats) {
        return plan(repeats, 2_000_000_000L);
    }

    private static Comparison.Plan plan(final int repeats, final long bytes) {
        return new Comparison.Plan(
                new TeraSortWorkload(),
                bytes,
                List.of(STOCK, SPILLWAY),
                repeats,
                false,
                4,
                2,
                Map.of());
    }

    private static JobFigures job(final long wallMillis, final long cpuMillis) {
        return new JobFigures(
                "job_1_1",
                "n",
                "SUCCEEDED",
                0,
                wallMillis,
                4,
                2,
                new JobStages(1, 2, 3, 4_000, 5_000, 6, 7, 8, 9, List.of()),
                Optional.empty(),
                List.of(),
                Map.of(
                        TASK,
                        Map.of(
                                "CPU_MILLISECONDS",
                                new CounterValue(0, cpuMillis, cpuMillis),
                                "MAP_INPUT_RECORDS",
                                new CounterValue(5, 0, 5))),
                new ServiceCpu(Map.of(7L, 1_000L, 8L, 2_000L), Map.of()));
    }

    private static ComparisonResult result(final PartDigest spillwaysOutput) {
        return new ComparisonResult(
                plan(1),
                List.of(job(10_000, 20_000)),
                List.of(
                        new EngineRun(STOCK, 1, job(60_000, 100_000), List.of(GOOD)),
                        new EngineRun(SPILLWAY, 1, job(30_000, 40_000), List.of(spillwaysOutput))),
                true);
    }

    @Test
    void agreesOnTheSameRecordsInAnotherOrder() {
        final ComparisonResult result =
                result(new PartDigest("part-0", 5, 50, "aa-bb", "other", true));

        assertThat(result.outputsAgree()).isTrue();
        assertThat(result.outputsIdentical()).isFalse();
        assertThat(result.disagreements()).isEmpty();
        assertThat(result(GOOD).outputsIdentical()).isTrue();
    }

    @Test
    void disagreesOnContentNumberPartOrOrder() {
        for (final PartDigest wrong :
                List.of(
                        new PartDigest("part-0", 5, 50, "aa-bc", "cc", true),
                        new PartDigest("part-0", 4, 50, "aa-bb", "cc", true),
                        new PartDigest("part-1", 5, 50, "aa-bb", "cc", true),
                        new PartDigest("part-0", 5, 50, "aa-bb", "cc", false))) {
            assertThat(result(wrong).outputsAgree()).as("%s", wrong).isFalse();
            assertThat(result(wrong).disagreements()).hasSize(1);
        }
    }

    @Test
    void disagreesWhenBothLackRecordsOfTheInput() {
        final PartDigest few = new PartDigest("part-0", 4, 40, "aa-bb", "cc", true);
        final ComparisonResult result =
                new ComparisonResult(
                        plan(1),
                        List.of(job(1, 1)),
                        List.of(new EngineRun(STOCK, 1, job(1, 1), List.of(few))),
                        true);

        assertThat(result.outputsAgree()).isFalse();
    }

    @Test
    void showsTheRatioOfTheFirstEngineToTheLast() {
        assertThat(result(GOOD).table(false))
                .containsPattern("wall time, s +10.0 +60.0 +30.0 +2.00x")
                .containsPattern("shuffle tax, CPU-s/GB +40.0 +10.0 +4.00x")
                .containsPattern("CPU over the copy's +1.00 +5.00 +2.00 +2.50x")
                .contains("stock/spillway", "copy (n=1)", "stock (n=1)");
    }

    @Test
    void thePlanTellsWhetherJobsShareClassData() throws IOException {
        final Comparison.Plan plan = plan(1);
        final Comparison.Plan shared =
                plan.with(
                        Map.of(
                                "mapreduce.map.java.opts",
                                "-Xmx1g -XX:SharedArchiveFile=/a.jsa -cp /a.jar:{{CLASSPATH}}"));
        final ComparisonResult result =
                new ComparisonResult(shared, result(GOOD).copies(), result(GOOD).runs(), true);

        assertThat(plan.sharesClassData()).isFalse();
        assertThat(shared.with(Map.of("a", "b")).properties()).hasSize(2);
        final JsonNode json = new ObjectMapper().readTree(result.json(MACHINE, Map.of()));
        assertThat(json.at("/plan/sharesClassData").asBoolean()).isTrue();
    }

    @Test
    void theShortTableHasTenRowsAndTheLongOneAllOfThem() {
        final String brief = resultOf(2_000_000_000L).table(false);
        final String whole = resultOf(2_000_000_000L).table(true);

        assertThat(brief.lines().skip(2)).hasSize(10);
        assertThat(whole.lines()).containsAll(brief.lines().skip(2).toList().subList(0, 1));
        assertThat(whole.lines().count()).isGreaterThan(brief.lines().count() + 5);
        assertThat(whole).containsPattern("CPU of NodeManagers, s +3.00 +3.00 +3.00");
        assertThat(whole).doesNotContain("CPU of node processes");
    }

    @Test
    void eachRunIsComparedWithTheCopyOfItsRound() {
        final ComparisonResult result =
                new ComparisonResult(
                        plan(2),
                        List.of(job(1, 10_000), job(1, 40_000)),
                        List.of(
                                new EngineRun(STOCK, 1, job(1, 50_000), List.of(GOOD)),
                                new EngineRun(SPILLWAY, 1, job(1, 20_000), List.of(GOOD)),
                                new EngineRun(STOCK, 2, job(1, 120_000), List.of(GOOD)),
                                new EngineRun(SPILLWAY, 2, job(1, 40_000), List.of(GOOD))),
                        true);

        assertThat(result.isComplete()).isTrue();
        assertThat(result.table(false))
                .containsPattern(
                        "CPU over the copy's +1.00 \\(1.00..1.00\\) +4.00 \\(3.00..5.00\\)")
                .containsPattern(
                        "tax, CPU-s/GB +30.0 \\(20.0..40.0\\) +2.50 \\(0.0..5.00\\) +12.00x")
                .contains("copy (n=2)", "spillway (n=2)");
    }

    @Test
    void whatIsMeasuredSoFarIsATableToo() {
        final ComparisonResult soFar =
                ComparisonResult.nothingYet(plan(2), true)
                        .withCopy(job(1, 10_000))
                        .withRun(new EngineRun(STOCK, 1, job(1, 50_000), List.of(GOOD)));

        assertThat(soFar.isComplete()).isFalse();
        assertThat(soFar.table(true)).contains("stock (n=1)").doesNotContain("spillway");
        assertThat(soFar.json(MACHINE, Map.of())).contains("\"isComplete\" : false");
    }

    @Test
    void leavesOutWhatNoEngineTells() {
        assertThat(result(GOOD).table(true))
                .contains("last map to end, s")
                .doesNotContain("stalls a reducer, s", "overlap, %", "peak reduce buffer, MB");
    }

    @Test
    void showsWhatReducersTell() {
        final ComparisonResult result = resultOf(2_000_000_000L);

        assertThat(result.table(true))
                .containsPattern("overlap, % +25.0 ")
                .containsPattern("first reduce\\(\\) after last map, s +2.50 ")
                .containsPattern("stalls a reducer, s +1.50 ")
                .containsPattern("  waiting for budget, s +0.500 ")
                .doesNotContain("waiting for a source")
                .containsPattern("peak reduce buffer, MB +30.0 ")
                .containsPattern("its budget, MB +64.0 ")
                .containsPattern("physical memory of a reducer, MB +700.0 ")
                .containsPattern("last map to last merge, s +4.00 +4.00 ");
        assertThat(JobReports.render(reportingJob())).contains("\"window_histogram\" : [ 1, 2 ]");
    }

    /** Stock, and Spillway whose reducers report. */
    static ComparisonResult resultOf(final long bytes) {
        return new ComparisonResult(
                plan(1, bytes),
                List.of(job(1, 1)),
                List.of(
                        new EngineRun(STOCK, 1, job(1, 1), List.of(GOOD)),
                        new EngineRun(SPILLWAY, 1, reportingJob(), List.of(GOOD))),
                true);
    }

    /** Two reducers of Spillway, with causes of stalls in one's report. */
    private static JobFigures reportingJob() {
        final JobFigures job = job(1, 1);
        return new JobFigures(
                job.jobId(),
                job.name(),
                job.state(),
                0,
                1,
                4,
                2,
                job.stages(),
                Optional.empty(),
                List.of(
                        new ReduceReport(
                                Map.of(
                                        "first_record_millis", 2_500,
                                        "stall_millis", 1_000,
                                        "window_histogram", List.of(1, 2),
                                        "peak_buffer_bytes", 30_000_000)),
                        new ReduceReport(
                                Map.of(
                                        "first_record_millis", 300,
                                        "stall_millis", 2_000,
                                        "stall_budget_millis", 500,
                                        "buffer_budget_bytes", 64_000_000,
                                        "peak_buffer_bytes", 20_000_000))),
                Map.of(
                        TASK,
                        Map.of(
                                "REDUCE_PHYSICAL_MEMORY_BYTES_MAX",
                                new CounterValue(0, 700_000_000, 700_000_000)),
                        JobFigures.FIGURES,
                        Map.of(
                                "FETCH_SPILLWAY_BYTES", new CounterValue(0, 300, 300),
                                "FETCH_HTTP_BYTES", new CounterValue(0, 100, 100),
                                "FETCH_OVERLAPPED_BYTES", new CounterValue(0, 100, 100))),
                job.services());
    }

    @Test
    void writesJson() throws IOException {
        final JsonNode json =
                new ObjectMapper()
                        .readTree(result(GOOD).json(MACHINE, Map.of("nodes", 2, "commit", "abc")));

        assertThat(json.at("/machine/hadoop").asText()).isEqualTo("3.5.0");
        assertThat(json.at("/runs/1/engine").asText()).isEqualTo("spillway");
        assertThat(json.at("/medians/stock/wall_seconds/median").asDouble()).isEqualTo(60.0);
        assertThat(json.at("/outputsIdentical").asBoolean()).isTrue();
        assertThat(json.at("/schema").asInt()).isEqualTo(2);
        assertThat(json.at("/site/commit").asText()).isEqualTo("abc");
        assertThat(json.at("/copies/0/cpuNodeManagersMillis").asDouble()).isEqualTo(3_000);
    }

    @Test
    void refusesPlansThatMeanNothing() {
        assertThatThrownBy(() -> plan(0))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--repeat 0");
        assertThatThrownBy(() -> Workloads.named("nosuch"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("terasort");
    }
}
