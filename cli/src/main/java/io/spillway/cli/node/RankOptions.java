// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.MpiStart;
import io.spillway.transport.mpi.library.MpiKeys;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Of which MPI world a node process is to be a rank. */
final class RankOptions {
    /** Set by the script, which becomes the rank: the file for the command of the rank. */
    private static final String COMMAND_PROPERTY = "spillway.rank.command";

    @Option(
            names = "--mpi",
            description =
                    "As a rank of the MPI world that mpirun or srun starts, one a host; serves mpi"
                            + " beside the other transports.")
    private boolean mpi;

    @Option(
            names = "--mpi-self",
            description = "As an MPI world of this one process, without a launcher: for tests.")
    private boolean mpiSelf;

    /** Whether a launcher has started this process, and others like it. */
    boolean launched() {
        return mpi;
    }

    /** The settings that say so to the node process. */
    Map<String, String> definitions() {
        if (!mpi && !mpiSelf) {
            return Map.of();
        }
        final MpiStart start = mpi ? MpiStart.LAUNCHED : MpiStart.SELF;
        return Map.of(MpiKeys.MPI_WORLD.name(), start.text());
    }

    /**
     * Where the script looks for the command.
     *
     * @throws BadInputException where no script has started this JVM
     */
    static Path commandFile() {
        final String file = System.getProperty(COMMAND_PROPERTY);
        if (file == null) {
            throw new BadInputException(
                    "--mpi: start it by the script spillway, as `mpirun -n N spillway node start"
                            + " --mpi`: the script becomes the rank");
        }
        return Path.of(file);
    }
}
