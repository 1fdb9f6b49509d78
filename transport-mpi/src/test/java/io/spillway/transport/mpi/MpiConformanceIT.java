// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.mpi.MpiInstallation;
import io.spillway.slurm.SlurmCluster;
import io.spillway.transport.mpi.library.MpiRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The conformance suites of transports with each MPI library, in worlds of several ranks: clients
 * go through another rank than that of their node. What allocations that fail lead to is the same
 * in every world: it is seen in that of one process.
 */
final class MpiConformanceIT {
    private static final List<String> SUITES =
            List.of(
                    "FetchesOverMpi",
                    "PrivateFetchesOverMpi",
                    "PlainFetchesOverMpi",
                    "PutsOverMpi",
                    "CallsOverMpi");

    /** How many tests the suites have at least: else they were not found. */
    private static final int LEAST_TESTS = 100;

    private static final int LEAST_TESTS_OF_ALLOCATIONS = 6;
    private static final int RANKS = 3;

    @TempDir private Path folder;

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void everySuiteHoldsBetweenThreeRanks(final MpiInstallation library) throws Exception {
        library.require();
        run(library, RANKS, library.launch(RANKS), "launched", SUITES, LEAST_TESTS);
    }

    /** Each with a network of its own: the ranks' messages go over sockets. */
    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void everySuiteHoldsBetweenFourHostsOfSlurm(final MpiInstallation library) throws Exception {
        library.require();
        SlurmCluster.require();
        try (SlurmCluster cluster = SlurmCluster.start(folder.resolve("slurm"))) {
            final List<String> launch = cluster.srun(library.slurm());
            run(library, SlurmCluster.HOSTS, launch, "launched", SUITES, LEAST_TESTS);
        }
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void nothingStaysBehindWhereMemoryRunsOut(final MpiInstallation library) throws Exception {
        library.require();
        final List<String> suite = List.of("AllocationsOverMpi");
        run(library, 1, List.of(), "self", suite, LEAST_TESTS_OF_ALLOCATIONS);
    }

    private void run(
            final MpiInstallation library,
            final int ranks,
            final List<String> launch,
            final String world,
            final List<String> suites,
            final int leastTests)
            throws Exception {
        for (int rank = 0; rank < ranks; rank++) {
            Ranks.makeFolder(folder, rank);
        }
        final List<String> options =
                List.of(
                        "-Xmx400m",
                        "-D" + TestWorld.FOLDER + "=" + folder,
                        "-D" + TestWorld.RANK_OF_TASKS + "=" + (ranks - 1),
                        "-Dspillway.mpi.world=" + world,
                        "-Dspillway.mpi.compiler=" + library.compiler());
        final String printed =
                new MpiRun(folder)
                        .command(MpiRun.java(launch, options, ConformanceMain.class, suites));
        final String result = Files.readString(ConformanceMain.resultIn(folder));
        assertThat(result).as(printed).endsWith("failed=0 skipped=0");
        final String passed = result.substring("passed=".length(), result.indexOf(' '));
        assertThat(Integer.parseInt(passed)).isGreaterThanOrEqualTo(leastTests);
    }
}
