// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllocationsTest {
    @TempDir private Path folder;

    @Test
    void aHostOfPbsIsNamedOnceForEachCore() throws IOException {
        final Path nodes = Files.writeString(folder.resolve("nodes"), "n1\nn1\nn2\nn2\n");

        final Allocation found =
                Allocations.find(
                        Optional.empty(),
                        Map.of("PBS_NODEFILE", nodes.toString(), "PBS_JOBID", "12.server"));

        assertThat(found.hosts()).containsExactly("n1", "n2");
        assertThat(found.id()).isEqualTo("12.server");
    }

    @Test
    void aListGoesBeforeTheBatchSystem() throws IOException {
        final Path hosts = Files.writeString(folder.resolve("my hosts"), "# mine\n\n n3 \n");

        final Allocation found = Allocations.find(Optional.of(hosts), Map.of("SLURM_JOB_ID", "7"));

        assertThat(found.hosts()).containsExactly("n3");
        assertThat(found.id()).isEqualTo("my-hosts");
        assertThat(found.onEach(List.of("a b", "c")))
                .singleElement()
                .satisfies(command -> assertThat(command).endsWith("n3", "'a b' c n3"));
    }

    @Test
    void saysWhatWouldBeAnAllocation() throws IOException {
        final Path empty = Files.createFile(folder.resolve("empty"));

        assertThatThrownBy(() -> Allocations.find(Optional.empty(), Map.of()))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("SLURM_JOB_ID");
        assertThatThrownBy(() -> Allocations.find(Optional.of(empty), Map.of()))
                .hasMessageContaining("names no host");
        assertThatThrownBy(() -> Allocations.find(Optional.empty(), Map.of("SLURM_JOB_ID", "7")))
                .hasMessageContaining("SLURM_JOB_NODELIST");
    }
}
