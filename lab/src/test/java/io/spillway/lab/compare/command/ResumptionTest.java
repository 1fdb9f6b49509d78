// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ResumeFile;
import io.spillway.lab.compare.SavedRuns;
import io.spillway.lab.compare.workload.Workloads;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.process.CommandOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResumptionTest {
    private static final Map<String, String> OPTIONS = Map.of("commit", "abc", "maps", "4");
    private static final Map<String, String> SITE = Map.of("hadoop", "3.5.0", "nodes", "2");

    @TempDir private Path folder;
    private Path results;

    @BeforeEach
    void nameResults() {
        results = folder.resolve("tera.json");
    }

    private void stopOne() throws IOException {
        final Resumption first = Resumption.of(results, true, OPTIONS);
        assertThat(first.begin(SITE, Optional.empty())).isEqualTo(SavedRuns.NONE);
        first.save(SavedRuns.NONE);
        Files.writeString(results, "{}");
    }

    @Test
    void goesOnUnderTheSameConditionsUntilTheEnd() throws IOException {
        stopOne();
        final Resumption second = Resumption.of(results, true, OPTIONS);
        assertThat(second.begin(SITE, Optional.of("compare-1"))).isEqualTo(SavedRuns.NONE);
        second.end();

        assertThatThrownBy(() -> Resumption.of(results, true, OPTIONS))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("leave out --resume");
        assertThat(Resumption.of(results, false, OPTIONS)).isNotNull();
    }

    @Test
    void overwritesNothingThatMayGoOn() throws IOException {
        stopOne();

        assertThatThrownBy(() -> Resumption.of(results, false, OPTIONS))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--resume goes on with it");
    }

    @Test
    void namesWhatHasChanged() throws IOException {
        stopOne();

        assertThatThrownBy(() -> Resumption.of(results, true, Map.of("commit", "def", "cds", "x")))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("cds none -> x; commit abc -> def; maps 4 -> none.")
                .hasMessageContaining("tera.json.resume");
        final Resumption elsewhere = Resumption.of(results, true, OPTIONS);
        assertThatThrownBy(
                        () ->
                                elsewhere.begin(
                                        Map.of("hadoop", "3.4.2", "nodes", "2"), Optional.empty()))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("hadoop 3.5.0 -> 3.4.2.")
                .hasMessageNotContaining("nodes");
    }

    @Test
    void leavesAComparisonAloneThatStillRuns() throws Exception {
        final Process other = new ProcessBuilder("sleep", "600").start();
        final CommandOwner owner = CommandOwner.of(other.pid());
        try {
            new ResumeFile(results)
                    .write(new ResumeFile.Content(3, OPTIONS, SITE, owner, null, SavedRuns.NONE));
            assertThatThrownBy(() -> Resumption.of(results, true, OPTIONS))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageContaining("still runs, as process " + other.pid());
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    @Test
    void everyOptionAndEachPropertyIsACondition() {
        final Map<String, String> conditions =
                Conditions.of(plan(2, Map.of("a.b", "c")), false, folder);

        assertThat(conditions)
                .containsEntry("workload", "terasort")
                .containsEntry("engines", "[stock, auto@tcp]")
                .containsEntry("properties a.b", "c")
                .containsEntry("commit", "unknown")
                .containsKeys("bytes", "repeats", "maps", "reduces", "warmUp", "--cds", "host")
                .containsKeys("cores", "cpu", "memory in MB", "kernel", "java")
                .isEqualTo(Conditions.of(plan(2, Map.of("a.b", "c")), false, folder))
                .isNotEqualTo(Conditions.of(plan(3, Map.of("a.b", "c")), false, folder))
                .isNotEqualTo(Conditions.of(plan(2, Map.of("a.b", "d")), false, folder));
    }

    private static Comparison.Plan plan(final int repeats, final Map<String, String> properties) {
        return new Comparison.Plan(
                Workloads.named("terasort"),
                1 << 20,
                EngineConfig.parseAll("stock,auto@tcp"),
                repeats,
                false,
                4,
                2,
                properties);
    }

    @Test
    void theLineThatGoesOnIsTheCommandsOwn() {
        assertThat(
                        new ResumeLine(List.of("compare", "sort", "--size", "1g", "-D", "a=b c"))
                                .with(Path.of("/x/y.json")))
                .isEqualTo("./spillway compare sort --size 1g -D 'a=b c' --out /x/y.json --resume");
        assertThat(
                        new ResumeLine(List.of("--out", "z", "scale", "--resume", "--out=q"))
                                .with(Path.of("/x")))
                .isEqualTo("./spillway scale --out /x --resume");
    }
}
