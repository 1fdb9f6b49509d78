// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.util.Map;
import java.util.Optional;

/**
 * What started this process as one of several ranks, as far as its environment says. Immutable.
 *
 * <p>Sources: the variables of mpirun(1) of Open MPI, of the process manager Hydra of MPICH, and of
 * srun(1).
 *
 * @param name for people
 * @param size how many ranks it has started, at least 1
 * @param rank the number of this one
 */
public record MpiLauncher(String name, int size, int rank) {
    /** What is to be done where there is none. */
    static final String MISSING =
            "started outside mpirun or srun: start the node with `mpirun -n N spillway node start"
                    + " --mpi`";

    private static final String SRUN_PMI2 = "srun --mpi=pmi2";
    private static final String SRUN_PMIX = "srun --mpi=pmix";
    private static final String SRUN_PLAIN = "srun without --mpi";
    private static final String OPEN_MPI = "Open MPI";

    private static final String SLURM_RANK = "SLURM_PROCID";

    /** Of the step, which only srun makes; SLURM_NTASKS is also set in a batch script. */
    private static final String SLURM_SIZE = "SLURM_STEP_NUM_TASKS";

    private static final String PMI_RANK = "PMI_RANK";
    private static final String PMI_SIZE = "PMI_SIZE";
    private static final String PMIX_RANK = "PMIX_RANK";

    /** The launcher of a process with this environment, or nothing. */
    public static Optional<MpiLauncher> of(final Map<String, String> environment) {
        return launcher(
                        "mpirun of Open MPI",
                        environment,
                        "OMPI_COMM_WORLD_SIZE",
                        "OMPI_COMM_WORLD_RANK")
                .or(() -> launcher(pmi(environment), environment, PMI_SIZE, PMI_RANK))
                .or(() -> launcher(slurm(environment), environment, SLURM_SIZE, SLURM_RANK))
                .or(() -> pmix(environment));
    }

    private static Optional<MpiLauncher> launcher(
            final String name,
            final Map<String, String> environment,
            final String sizeVariable,
            final String rankVariable) {
        final int size = number(environment.get(sizeVariable));
        final int rank = number(environment.get(rankVariable));
        if (size < 1 || rank < 0) {
            return Optional.empty();
        }
        return Optional.of(new MpiLauncher(name, size, rank));
    }

    private static String pmi(final Map<String, String> environment) {
        return environment.containsKey(SLURM_SIZE)
                ? SRUN_PMI2
                : "mpiexec of MPICH, or another launcher that speaks PMI";
    }

    private static String slurm(final Map<String, String> environment) {
        return environment.containsKey(PMIX_RANK) ? SRUN_PMIX : SRUN_PLAIN;
    }

    /** A launcher of PMIx alone tells no size by the environment. */
    private static Optional<MpiLauncher> pmix(final Map<String, String> environment) {
        final int rank = number(environment.get(PMIX_RANK));
        return rank < 0
                ? Optional.empty()
                : Optional.of(new MpiLauncher("a launcher that speaks PMIx", rank + 1, rank));
    }

    /** Negative for what is no number of a rank. */
    private static int number(final String textOrNull) {
        if (textOrNull == null || !textOrNull.matches("[0-9]{1,9}")) {
            return -1;
        }
        return Integer.parseInt(textOrNull);
    }

    /**
     * What is wrong with a library under this launcher, as far as that is known before MPI_Init:
     * there, Open MPI ends the process if srun does not speak PMIx.
     */
    Optional<String> unfit(final String libraryVersion) {
        final boolean isKnown = name.equals(SRUN_PMI2) || name.equals(SRUN_PLAIN);
        if (!isKnown || !libraryVersion.startsWith(OPEN_MPI)) {
            return Optional.empty();
        }
        return Optional.of(
                "the native library was built for "
                        + libraryVersion
                        + ", and the process was started by "
                        + name
                        + ": use "
                        + SRUN_PMIX
                        + ", or mpirun");
    }

    /**
     * What is wrong if MPI has found another number of ranks than the launcher has started: an MPI
     * library that does not understand its launcher takes the process for a world of one.
     */
    Optional<String> mismatch(final int worldSize, final String libraryVersion) {
        if (worldSize >= size) {
            return Optional.empty();
        }
        return Optional.of(
                "the native library was built for "
                        + libraryVersion
                        + ", which finds "
                        + worldSize
                        + " of "
                        + size
                        + " ranks: the process was started by "
                        + name
                        + "; use that library's mpirun (or srun with the --mpi that it"
                        + " understands), or build for the launcher's library by"
                        + " spillway.mpi.compiler=...");
    }
}
