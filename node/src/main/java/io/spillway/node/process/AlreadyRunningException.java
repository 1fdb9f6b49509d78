// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import java.io.IOException;
import java.nio.file.Path;

/** Another node process has the socket. */
public final class AlreadyRunningException extends IOException {
    private static final long serialVersionUID = 1L;

    AlreadyRunningException(final String pid, final Path socket) {
        this("a node process runs already: pid " + pid + ", socket " + socket);
    }

    private AlreadyRunningException(final String message) {
        super(message);
    }

    /** The same for a rank of an MPI world. */
    AlreadyRunningException asRank() {
        return new AlreadyRunningException(
                getMessage()
                        + "; a host has one rank: start one a host (srun --ntasks-per-node=1,"
                        + " mpirun --map-by ppr:1:node or -N 1 of Open MPI, mpiexec -ppn 1 of"
                        + " MPICH), and no other node process there");
    }
}
