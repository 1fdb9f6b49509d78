// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.Engine;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.EngineRun;
import io.spillway.lab.compare.FolderSite;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.compare.PartDigest;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.workload.InProcessJobs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A workload that nothing but its registration names is run, checked and explained as any other.
 */
class NewWorkloadTest {
    private static final int BYTES = 52_000;
    private static final int RECORDS = 4_000;

    @TempDir private Path folder;

    @Test
    void isComparedAsAnyOther() {
        final Comparison.Plan plan =
                new Comparison.Plan(
                        Workloads.named("Numbers"),
                        BYTES,
                        List.of(EngineConfig.of(Engine.STOCK), EngineConfig.of(Engine.SPILLWAY)),
                        1,
                        false,
                        4,
                        1,
                        Map.of());
        final ComparisonResult result =
                new Comparison(
                                plan,
                                new InProcessJobs(new FolderSite(folder), RECORDS),
                                List::of,
                                OutputCheck.NONE)
                        .run(soFar -> {});

        assertThat(result.outputsIdentical()).isTrue();
        assertThat(result.runs()).hasSize(2).allSatisfy(NewWorkloadTest::isSortedAndWhole);
        assertThat(folder.resolve("data")).isEmptyDirectory();
    }

    private static void isSortedAndWhole(final EngineRun run) {
        assertThat(run.output()).hasSize(1).allMatch(PartDigest::sorted);
        assertThat(run.output().get(0).records()).isEqualTo(RECORDS);
    }

    @Test
    void isNamedInHelpAndErrors() {
        assertThat(Workloads.choices()).contains("numbers", "terasort", " or ");
        assertThatThrownBy(() -> Workloads.named("number"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("workload 'number'")
                .hasMessageContaining("numbers");
    }
}
