package io.spillway.transport.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.mpi.library.MpiInstallation;
import io.spillway.transport.mpi.library.MpiRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The conformance suites of transports with each MPI library: in a world of one process, and in
 * worlds of several, where clients go through another rank than that of their node.
 */
final class MpiConformanceIT {
    private static final List<String> SUITES =
            List.of("FetchesOverMpi", "PutsOverMpi", "CallsOverMpi", "AllocationsOverMpi");

    /** How many tests the suites have at least: else they were not found. */
    private static final int LEAST_TESTS = 60;

    @TempDir private Path folder;

    static Stream<Arguments> worlds() {
        return Stream.of(MpiInstallation.values())
                .flatMap(library -> Stream.of(1, 3, 4).map(ranks -> Arguments.of(library, ranks)));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void everySuiteHolds(final MpiInstallation library, final int ranks) throws Exception {
        library.require();
        for (int rank = 0; rank < ranks; rank++) {
            Ranks.makeFolder(folder, rank);
        }
        final List<String> options =
                List.of(
                        "-Xmx400m",
                        "-D" + TestWorld.FOLDER + "=" + folder,
                        "-D" + TestWorld.RANK_OF_TASKS + "=" + (ranks - 1),
                        "-Dspillway.mpi.world=" + (ranks == 1 ? "self" : "launched"),
                        "-Dspillway.mpi.compiler=" + library.compiler());
        final String printed =
                new MpiRun(folder)
                        .command(
                                MpiRun.java(
                                        ranks == 1 ? List.of() : library.launch(ranks),
                                        options,
                                        ConformanceMain.class,
                                        SUITES));
        final String result = Files.readString(ConformanceMain.resultIn(folder));
        assertThat(result).as(printed).endsWith("failed=0 skipped=0");
        final String passed = result.substring("passed=".length(), result.indexOf(' '));
        assertThat(Integer.parseInt(passed)).isGreaterThan(LEAST_TESTS);
    }
}
