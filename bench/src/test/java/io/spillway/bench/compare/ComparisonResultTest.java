package io.spillway.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.bench.BadInputException;
import io.spillway.bench.engine.Engine;
import io.spillway.bench.report.Machine;
import io.spillway.bench.run.JobFigures;
import io.spillway.bench.run.JobFigures.CounterValue;
import io.spillway.bench.run.JobStages;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ComparisonResultTest {
    private static final String TASK = "org.apache.hadoop.mapreduce.TaskCounter";
    private static final PartDigest GOOD = new PartDigest("part-0", 5, 50, "aa-bb", "cc", true);

    private static Comparison.Plan plan(final int repeats) {
        return new Comparison.Plan(
                Workload.TERASORT,
                2_000_000_000L,
                List.of(Engine.STOCK, Engine.SPILLWAY),
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
                new JobStages(1, 2, 3, 4, 5, 6, 7, 8),
                Optional.empty(),
                Map.of(
                        TASK,
                        Map.of(
                                "CPU_MILLISECONDS",
                                new CounterValue(0, cpuMillis, cpuMillis),
                                "MAP_INPUT_RECORDS",
                                new CounterValue(5, 0, 5))));
    }

    private static ComparisonResult result(final PartDigest spillwaysOutput) {
        return new ComparisonResult(
                plan(1),
                job(10_000, 20_000),
                List.of(
                        new EngineRun(Engine.STOCK, 1, job(60_000, 100_000), List.of(GOOD)),
                        new EngineRun(
                                Engine.SPILLWAY, 1, job(30_000, 40_000), List.of(spillwaysOutput))),
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
                        job(1, 1),
                        List.of(new EngineRun(Engine.STOCK, 1, job(1, 1), List.of(few))),
                        true);

        assertThat(result.outputsAgree()).isFalse();
    }

    @Test
    void computesTheShuffleTaxInCpuSecondsAGigabyte() {
        assertThat(result(GOOD).shuffleTax(job(0, 100_000))).isEqualTo(40.0);
    }

    @Test
    void showsTheRatioOfTheFirstEngineToTheLast() {
        assertThat(result(GOOD).table())
                .containsPattern("wall time, s +10.0 +60.0 +30.0 +2.00x")
                .containsPattern("shuffle tax, CPU-s/GB +40.0 +10.0 +4.00x")
                .contains("stock/spillway");
    }

    @Test
    void writesJson() throws IOException {
        final JsonNode json =
                new ObjectMapper()
                        .readTree(
                                result(GOOD)
                                        .json(new Machine(2, "c", 1, "k", "17", "3.5.0", "now")));

        assertThat(json.at("/machine/hadoop").asText()).isEqualTo("3.5.0");
        assertThat(json.at("/runs/1/engine").asText()).isEqualTo("spillway");
        assertThat(json.at("/medians/stock/wall time, s/median").asDouble()).isEqualTo(60.0);
        assertThat(json.at("/outputsIdentical").asBoolean()).isTrue();
    }

    @Test
    void refusesPlansThatMeanNothing() {
        assertThatThrownBy(() -> plan(0))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--repeat 0");
        assertThatThrownBy(() -> Workload.parse("pagerank"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("terasort");
    }
}
