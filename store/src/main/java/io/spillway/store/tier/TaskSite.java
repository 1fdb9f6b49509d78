// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.store.SpillStore;
import io.spillway.store.pool.Lease;
import io.spillway.store.shared.SharedOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** What a task gives the tiers that it opens. Used by one thread at a time. */
public interface TaskSite {
    /** The task's settings, by name; null for one that is not set. */
    Function<String, String> settings();

    /**
     * Files of the node, used again and given back with the lease.
     *
     * @param reserve what to leave free of the folder's file system, in bytes
     * @return nothing where the node offers none, or they cannot be used
     */
    Optional<Lease> lease(Tier tier, long reserve);

    /** The names by which reducers find the task's output; nothing where no reducer asks a node. */
    Optional<SharedOutput> output();

    /**
     * Whether what serves this host's map outputs gives out those in a directory of the shared file
     * system.
     */
    boolean serves(Path sharedDirectory);

    /** The framework's local directories. */
    SpillStore localDisk() throws IOException;
}
