// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MpiLauncherTest {
    private static final Map<String, String> STEP =
            Map.of("SLURM_PROCID", "2", "SLURM_STEP_NUM_TASKS", "4", "SLURM_NTASKS", "4");

    private static Map<String, String> with(
            final Map<String, String> environment, final Map<String, String> more) {
        final Map<String, String> all = new HashMap<>(environment);
        all.putAll(more);
        return all;
    }

    @Test
    void knowsOpenMpisEvenInAStepOfSlurm() {
        final Map<String, String> variables =
                Map.of("OMPI_COMM_WORLD_SIZE", "3", "OMPI_COMM_WORLD_RANK", "1");
        final MpiLauncher expected = new MpiLauncher("mpirun of Open MPI", 3, 1);
        assertThat(MpiLauncher.of(variables)).contains(expected);
        assertThat(MpiLauncher.of(with(STEP, variables))).contains(expected);
    }

    @Test
    void knowsMpichs() {
        assertThat(MpiLauncher.of(Map.of("PMI_SIZE", "2", "PMI_RANK", "0")))
                .contains(
                        new MpiLauncher(
                                "mpiexec of MPICH, or another launcher that speaks PMI", 2, 0));
    }

    @Test
    void knowsSlurms() {
        assertThat(MpiLauncher.of(with(STEP, Map.of("PMI_SIZE", "4", "PMI_RANK", "2"))))
                .contains(new MpiLauncher("srun --mpi=pmi2", 4, 2));
        assertThat(MpiLauncher.of(with(STEP, Map.of("PMIX_RANK", "2"))))
                .contains(new MpiLauncher("srun --mpi=pmix", 4, 2));
        assertThat(MpiLauncher.of(STEP)).contains(new MpiLauncher("srun without --mpi", 4, 2));
    }

    @Test
    void aBatchScriptOfSlurmIsNoRank() {
        assertThat(MpiLauncher.of(Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "4"))).isEmpty();
    }

    @Test
    void aLauncherOfPmixAloneHasAtLeastTheRanksUpToThisOne() {
        assertThat(MpiLauncher.of(Map.of("PMIX_RANK", "5")))
                .contains(new MpiLauncher("a launcher that speaks PMIx", 6, 5));
    }

    @Test
    void thereIsNoneInAnEmptyEnvironment() {
        assertThat(MpiLauncher.of(Map.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "0", "99999999999", "1 "})
    void ignoresWhatIsNoSize(final String size) {
        assertThat(MpiLauncher.of(Map.of("PMI_SIZE", size, "PMI_RANK", "0"))).isEmpty();
    }

    @Test
    void saysWhoStartedALibraryThatDoesNotUnderstandIt() {
        final MpiLauncher launcher = new MpiLauncher("mpirun of Open MPI", 3, 1);
        assertThat(launcher.mismatch(3, "MPICH 4")).isEmpty();
        assertThat(launcher.mismatch(1, "MPICH 4"))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .contains("built for MPICH 4, which finds 1 of 3 ranks")
                                        .contains("started by mpirun of Open MPI")
                                        .contains("spillway.mpi.compiler="));
    }

    @Test
    void refusesOpenMpiWhereSlurmDoesNotSpeakPmix() {
        final MpiLauncher plain = new MpiLauncher("srun without --mpi", 4, 2);
        final MpiLauncher pmix = new MpiLauncher("srun --mpi=pmix", 4, 2);
        assertThat(plain.unfit("Open MPI v4.1.4"))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .contains("started by srun without --mpi")
                                        .contains("use srun --mpi=pmix"));
        assertThat(new MpiLauncher("srun --mpi=pmi2", 4, 2).unfit("Open MPI v4.1.4")).isPresent();
        assertThat(pmix.unfit("Open MPI v4.1.4")).isEmpty();
        assertThat(plain.unfit("MPICH Version: 4.0.2")).isEmpty();
    }
}
