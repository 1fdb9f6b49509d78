// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

/** Of which MPI world a node process is a rank: {@code spillway.mpi.world}. */
public enum MpiStart {
    /** Of none: the process never loads an MPI library. */
    NONE,

    /** Of the world that mpirun or srun has started the process in. */
    LAUNCHED,

    /** Of a world of this one process, for tests. */
    SELF;

    /** Its name in configuration files, such as {@code launched}. */
    public String text() {
        return ValueKind.Constant.nameOf(this);
    }

    @Override
    public String toString() {
        return text();
    }
}
