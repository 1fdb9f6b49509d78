// SPDX-License-Identifier: Apache-2.0
package io.spillway.mpi;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An MPI library that tests run with. These are Debian's, which are installed side by side, or
 * instead of them those whose compilers {@value #VARIABLE} in the environment names: absolute
 * paths, separated by colons, each with its mpiexec beside it.
 *
 * @param compiler its mpicc: a command on the PATH, or its path
 * @param launcher its mpiexec, likewise
 * @param family which options its launcher takes
 */
public record MpiInstallation(String compiler, String launcher, Family family) {
    /** Of the environment. */
    public static final String VARIABLE = "SPILLWAY_TEST_MPI";

    /** Names {@link #all} to a parameterized test. */
    public static final String ALL = "io.spillway.mpi.MpiInstallation#all";

    /** Names {@link #one} to a parameterized test. */
    public static final String ONE = "io.spillway.mpi.MpiInstallation#one";

    /** Names {@link #surviving} to a parameterized test. */
    public static final String SURVIVING = "io.spillway.mpi.MpiInstallation#surviving";

    /** Debian's Open MPI. */
    public static final MpiInstallation OPEN_MPI =
            new MpiInstallation("mpicc.openmpi", "mpirun.openmpi", Family.OPEN_MPI);

    /** Debian's MPICH. */
    public static final MpiInstallation MPICH =
            new MpiInstallation("mpicc.mpich", "mpiexec.mpich", Family.MPICH);

    private static final Path PROGRAMS = Path.of("/usr/bin");
    private static final Pattern OPEN_MPI_VERSION = Pattern.compile("\\(Open MPI\\) (\\d+)\\.");
    private static final int FIRST_WITH_ULFM = 5;

    /** Libraries whose launchers take the same options. */
    public enum Family {
        /** Open MPI before version 5, whose world ends with its first dead rank. */
        OPEN_MPI,
        /** Open MPI from version 5 on. */
        OPEN_MPI_WITH_ULFM,
        /** MPICH, and libraries that are made of it. */
        MPICH
    }

    /** All that tests run with. */
    public static Stream<MpiInstallation> all() {
        final String set = System.getenv(VARIABLE);
        if (set == null || set.isEmpty()) {
            return Stream.of(OPEN_MPI, MPICH);
        }
        return Stream.of(set.split(":", -1)).map(compiler -> of(Path.of(compiler)));
    }

    /** The first, for tests of what is the same with all. */
    public static Stream<MpiInstallation> one() {
        return all().limit(1);
    }

    /** Those that can keep the other ranks when one has died. */
    public static Stream<MpiInstallation> surviving() {
        return all().filter(library -> library.family != Family.OPEN_MPI);
    }

    private static MpiInstallation of(final Path compiler) {
        final String launcher = compiler.resolveSibling("mpiexec").toString();
        final String version = printed(launcher, "--version");
        if (version.contains("HYDRA") || version.contains("Intel(R) MPI")) {
            return new MpiInstallation(compiler.toString(), launcher, Family.MPICH);
        }
        final Matcher openMpi = OPEN_MPI_VERSION.matcher(version);
        if (!openMpi.find()) {
            throw new IllegalArgumentException(launcher + " is of no known library: " + version);
        }
        final boolean hasUlfm = Integer.parseInt(openMpi.group(1)) >= FIRST_WITH_ULFM;
        return new MpiInstallation(
                compiler.toString(),
                launcher,
                hasUlfm ? Family.OPEN_MPI_WITH_ULFM : Family.OPEN_MPI);
    }

    private static String printed(final String... command) {
        try {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Skips the test, with the reason, where it is not installed. */
    public void require() {
        for (final String program : List.of(compiler, launcher)) {
            assumeTrue(
                    Files.isExecutable(PROGRAMS.resolve(program)),
                    () -> "needs " + program + " (Debian: libopenmpi-dev and libmpich-dev)");
        }
    }

    /** What srun speaks with it: the value of its option {@code --mpi}. */
    public String slurm() {
        return family == Family.MPICH ? "pmi2" : "pmix";
    }

    /** The start of a command that runs ranks. */
    public List<String> launch(final int ranks) {
        return launch(ranks, List.of());
    }

    private List<String> launch(final int ranks, final List<String> options) {
        final List<String> command = new ArrayList<>();
        command.add(launcher);
        command.addAll(options);
        if (family != Family.MPICH) {
            command.add("--oversubscribe");
        }
        command.addAll(List.of("-n", Integer.toString(ranks)));
        return command;
    }

    /**
     * The same for ranks that live on when one of them has died. MPICH keeps them only where that
     * rank seems to end by itself, which a shell is for; and UCX below MPICH ends a process that
     * copies from the memory of a dead one, where it may do so.
     */
    public List<String> launchSurviving(final int ranks) {
        if (family != Family.MPICH) {
            return launch(ranks, List.of("--with-ft", "ulfm"));
        }
        final List<String> command =
                launch(ranks, List.of("-disable-auto-cleanup", "-genv", "UCX_TLS", "tcp,self"));
        command.addAll(List.of("sh", "-c", "trap '' USR1; \"$@\" || exit 1", "rank"));
        return command;
    }

    @Override
    public String toString() {
        return compiler;
    }
}
