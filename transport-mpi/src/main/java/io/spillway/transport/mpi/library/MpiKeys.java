// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static io.spillway.conf.Setting.Reader.MAP_TASK;
import static io.spillway.conf.Setting.Reader.NODE_PROCESS;
import static io.spillway.conf.Setting.Reader.REDUCE_TASK;

import io.spillway.conf.Location;
import io.spillway.conf.MpiStart;
import io.spillway.conf.Setting;
import io.spillway.conf.SettingDeclarations;
import io.spillway.conf.SettingGroup;
import java.util.List;
import java.util.Set;

/** Settings of the transport over MPI. */
public final class MpiKeys implements SettingGroup {
    private static final SettingDeclarations DECLARE = new SettingDeclarations();

    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    /** The native part of the transport over MPI. */
    public static final Setting<Location> MPI_LIBRARY =
            DECLARE.site("spillway.mpi.library", NODE_PROCESS)
                    .location(
                            Location.AUTO,
                            Set.of(Location.AUTO),
                            "The built libspillway_mpi.so through which the node process calls MPI;"
                                + " auto compiles it at first use with spillway.mpi.compiler and"
                                + " keeps it in XDG_CACHE_HOME or ~/.cache.");

    /** The compiler of the native part of the transport over MPI. */
    public static final Setting<String> MPI_COMPILER =
            DECLARE.site("spillway.mpi.compiler", NODE_PROCESS)
                    .command(
                            "mpicc",
                            "The C compiler of the site's MPI library; the node process has to be"
                                    + " started by that library's mpirun, or by srun.");

    /** The world of which the node process is a rank. */
    public static final Setting<MpiStart> MPI_WORLD =
            DECLARE.site("spillway.mpi.world", NODE_PROCESS)
                    .choice(
                            MpiStart.class,
                            MpiStart.NONE,
                            "launched says that mpirun or srun has started this node process as a"
                                    + " rank of its world; self makes a world of this one process,"
                                    + " for tests; none loads no MPI library.");

    /** Where tasks reach their host's rank. */
    public static final Setting<Location> MPI_SOCKET =
            DECLARE.site("spillway.mpi.socket", NODE_PROCESS, MAP_TASK, REDUCE_TASK)
                    .socket(
                            "Unix socket by which the tasks of a host reach its rank; auto is"
                                    + " mpi.sock beside spillway.node.socket.");

    /** The memory between the rank and one task. */
    public static final Setting<Long> MPI_TASK_BYTES =
            DECLARE.site("spillway.mpi.task.bytes", NODE_PROCESS)
                    .bytes(
                            16 * MIB,
                            1 * MIB,
                            1 * GIB,
                            "Memory that the node process and one task share, for what comes over"
                                    + " mpi.");

    /** How many tasks a rank serves at a time. */
    public static final Setting<Integer> MPI_TASKS =
            DECLARE.site("spillway.mpi.tasks", NODE_PROCESS)
                    .integer(
                            128,
                            1,
                            4096,
                            "Most tasks that a rank serves at a time; others fetch over tcp.");

    @Override
    public List<Setting<?>> settings() {
        return DECLARE.all();
    }
}
