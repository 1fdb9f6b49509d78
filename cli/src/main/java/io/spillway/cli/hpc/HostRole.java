// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import java.util.Locale;

/** What runs on a host, by the names that {@code spillway-hpc-host} knows. */
enum HostRole {
    RESOURCE_MANAGER,
    HISTORY_SERVER,
    NODE_MANAGER,
    MEMORY_NODE;

    /** Its name in the file of hosts and in the names of logs. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace("_", "");
    }
}
