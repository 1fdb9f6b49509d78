// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import java.util.Locale;

/** What runs on a host, by the names that {@code spillway-hpc-host} knows. */
enum HostRole {
    RESOURCE_MANAGER,
    HISTORY_SERVER,
    NODE_MANAGER,
    MEMORY_NODE,
    /** Waits for the host's node process, which the MPI world starts, and says that it serves. */
    RANK,
    /** As {@link #RANK}, with a node process that holds map outputs. */
    MEMORY_RANK,
    /** The launcher of all ranks. */
    MPI_WORLD;

    /** Its name in the file of hosts and in the names of logs. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace("_", "");
    }
}
