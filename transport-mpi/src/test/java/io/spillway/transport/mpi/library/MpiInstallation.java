package io.spillway.transport.mpi.library;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An MPI library of the host, as Debian installs several side by side. */
public enum MpiInstallation {
    OPEN_MPI("mpicc.openmpi", "mpirun.openmpi", "--oversubscribe", "pmix"),
    MPICH("mpicc.mpich", "mpiexec.mpich", "", "pmi2");

    private static final Path PROGRAMS = Path.of("/usr/bin");

    private final String compiler;
    private final String launcher;
    private final String option;
    private final String slurm;

    MpiInstallation(
            final String compiler, final String launcher, final String option, final String slurm) {
        this.compiler = compiler;
        this.launcher = launcher;
        this.option = option;
        this.slurm = slurm;
    }

    /** Skips the test, with the reason, where it is not installed. */
    public void require() {
        for (final String program : List.of(compiler, launcher)) {
            assumeTrue(
                    Files.isExecutable(PROGRAMS.resolve(program)),
                    () -> "needs " + program + " (Debian: libopenmpi-dev and libmpich-dev)");
        }
    }

    /** How it is found. */
    public MpiSettings settings() {
        return new MpiSettings(Optional.empty(), compiler, false);
    }

    /** Its compiler. */
    public String compiler() {
        return compiler;
    }

    /** What srun speaks with it: the value of its option {@code --mpi}. */
    public String slurm() {
        return slurm;
    }

    /** The start of a command that runs ranks. */
    public List<String> launch(final int ranks) {
        final List<String> command = new ArrayList<>(List.of(launcher));
        if (!option.isEmpty()) {
            command.add(option);
        }
        command.addAll(List.of("-n", Integer.toString(ranks)));
        return command;
    }
}
