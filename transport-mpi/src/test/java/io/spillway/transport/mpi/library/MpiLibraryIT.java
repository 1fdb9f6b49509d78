// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.mpi.MpiInstallation;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** MPI in JVMs of its own, with each MPI library of the host. */
final class MpiLibraryIT {
    private static final int RANKS = 3;

    @TempDir private Path folder;
    private MpiRun processes;

    @BeforeEach
    void makeRun() {
        processes = new MpiRun(folder);
    }

    private String run(
            final List<String> launch, final String scenario, final MpiInstallation library)
            throws Exception {
        return processes.run(launch, MpiMain.class, scenario, library.compiler());
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void aProcessAlone(final MpiInstallation library) throws Exception {
        library.require();
        final String printed = run(List.of(), "alone", library);
        assertThat(printed).endsWith("OK\n");
        assertThat(printed.contains("by the standard ABI"))
                .isEqualTo(library.compiler().endsWith("mpicc_abi"));
    }

    /** With the library that the Makefile builds, without a warning. */
    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void sharedMemoryWithoutAWorld(final MpiInstallation library) throws Exception {
        library.require();
        final String compiler = library.compiler();
        final Path built = folder.resolve("libspillway_mpi.so");
        processes.command(
                List.of(
                        "make",
                        "-C",
                        Path.of("..", "native", "mpi").toAbsolutePath().normalize().toString(),
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        "MPICC=" + compiler,
                        "OUT=" + built));
        assertThat(processes.run(List.of(), MpiMain.class, "memory", compiler, built.toString()))
                .endsWith("OK\n");
    }

    /** Neither UCX, which libmpich needs, nor Open MPI takes the signals of the JVM. */
    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void compiledCodeFindsNullWhileMpiComesAndGoes(final MpiInstallation library) throws Exception {
        library.require();
        assertThat(run(List.of(), "signals", library)).endsWith("OK\n");
    }

    /** They also compile the library at once. */
    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void ranksOfOneWorld(final MpiInstallation library) throws Exception {
        library.require();
        final String printed = run(library.launch(RANKS), "ring", library);
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(printed).contains("rank " + rank + " of " + RANKS);
        }
        assertThat(printed.split("OK", -1)).hasSize(RANKS + 1);
    }

    @Test
    void mpichUnderOpenMpisLauncher() throws Exception {
        assertRefused(MpiInstallation.MPICH, MpiInstallation.OPEN_MPI, "mpirun of Open MPI");
    }

    @Test
    void openMpiUnderMpichsLauncher() throws Exception {
        assertRefused(MpiInstallation.OPEN_MPI, MpiInstallation.MPICH, "mpiexec of MPICH");
    }

    private void assertRefused(
            final MpiInstallation library, final MpiInstallation launcher, final String name)
            throws Exception {
        library.require();
        launcher.require();
        assertThat(run(launcher.launch(2), "refused", library))
                .contains("REFUSED the native library was built for ")
                .contains("finds 1 of 2 ranks")
                .contains("started by " + name);
    }

    @Test
    void withoutALauncher() throws Exception {
        assertThat(run(List.of(), "refused", MpiInstallation.OPEN_MPI))
                .contains("REFUSED started outside mpirun or srun");
    }
}
