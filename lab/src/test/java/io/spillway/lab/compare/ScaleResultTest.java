// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.Engine;
import io.spillway.lab.compare.workload.TeraSortWorkload;
import io.spillway.lab.report.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScaleResultTest {
    private static final Machine MACHINE =
            new Machine(2, "c", 1, "k", "17", "3.5.0", "now", Machine.NO_EMULATION);

    @TempDir private Path folder;

    private static String recorded() throws IOException {
        try (InputStream stream = ScaleResultTest.class.getResourceAsStream("scale.json")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void readsWhatItWrites() throws IOException {
        final ScaleResult result = ScaleResult.parse(recorded());

        assertThat(result.json()).isEqualTo(recorded());
        assertThat(result.points()).hasSize(4);
        assertThat(result.points().get(0).bufferBytes()).isNull();
    }

    @Test
    void drawsMemoryWithTheBudgetAndTheTail() throws IOException {
        final List<Path> files = ScaleResult.parse(recorded()).plot(folder);

        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactly("memory.svg", "memory.png", "tail.svg", "tail.png");
        assertThat(files).allSatisfy(file -> assertThat(file).isNotEmptyFile());
        assertThat(Files.readString(files.get(0)))
                .contains("Peak memory of a reducer: terasort, 2 reducers")
                .contains("input, GB; most of any reducer, MB")
                .contains("stock physical memory 1.000: 900.0, 4.000: 1200")
                .contains("auto physical memory", "auto shuffle buffer 1.000: 360.0")
                .contains("budget of the buffer 1.000: 380.0, 4.000: 380.0")
                .doesNotContain("stock shuffle buffer");
        assertThat(Files.readString(files.get(2)))
                .contains("Last map's end to the job's end", "time, s")
                .contains("stock 1.000: 10.50, 4.000: 43.50; auto 1.000: 7.250");
    }

    @Test
    void takesThePointsOfEachComparisonInTheOrderOfSizes() {
        final ScaleResult result =
                ScaleResult.of(new TeraSortWorkload(), 2, MACHINE)
                        .with(ComparisonResultTest.resultOf(4_000_000_000L))
                        .with(ComparisonResultTest.resultOf(1_000_000_000L));

        assertThat(result.points())
                .extracting(ScalePoint::bytes)
                .containsExactly(1_000_000_000L, 1_000_000_000L, 4_000_000_000L, 4_000_000_000L);
        final ScalePoint auto = result.points().get(1);
        assertThat(auto.engine()).isEqualTo(Engine.SPILLWAY.label());
        assertThat(auto.tailSeconds()).isEqualTo(5.0);
        assertThat(auto.bufferBytes()).isEqualTo(30e6);
        assertThat(auto.budgetBytes()).isEqualTo(64e6);
        assertThat(auto.physicalBytes()).isEqualTo(700e6);
        assertThat(result.points().get(0).bufferBytes()).isNull();
    }

    @Test
    void drawsABudgetForEachEngineWhereTheyDiffer() throws IOException {
        final ScaleResult result =
                new ScaleResult(
                        "sort",
                        1,
                        MACHINE,
                        List.of(
                                new ScalePoint(1 << 20, "static", 1, 2, 1e6, 3e6, null),
                                new ScalePoint(1 << 20, "auto", 1, 2, 1e6, 4e6, null)));
        result.plot(folder);

        assertThat(Files.readString(folder.resolve("memory.svg")))
                .contains("static budget", "auto budget")
                .doesNotContain("budget of the buffer");
    }

    @Test
    void drawsNoMemoryWhereNobodyTellsIt() {
        final ScaleResult result =
                new ScaleResult(
                        "sort",
                        1,
                        MACHINE,
                        List.of(new ScalePoint(1 << 20, "stock", 1, 2, null, null, null)));

        assertThat(result.plot(folder)).hasSize(2);
        assertThat(folder.resolve("memory.svg")).doesNotExist();
    }
}
