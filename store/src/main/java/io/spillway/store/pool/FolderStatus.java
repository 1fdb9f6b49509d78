// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.util.Map;

/**
 * How full a {@link FilePool} is, and how often it was too full. Immutable.
 *
 * @param usedBytes of all files, those without an owner included; a file that is being written
 *     counts with what it was granted
 * @param leasedBytes of the files that tasks and jobs have
 * @param leases the number of these files
 * @param applications that have files
 * @param overflows how often a task was refused room, by cause
 */
public record FolderStatus(
        long usedBytes,
        long leasedBytes,
        long leases,
        int applications,
        Map<Overflow, Long> overflows) {
    /** What was too small for a task's request. */
    public enum Overflow {
        /** The limit of the folder's files. */
        LIMIT,
        /** What the file system or the host's memory had left beyond the reserve. */
        RESERVE
    }

    /** Copies the map. */
    public FolderStatus {
        overflows = Map.copyOf(overflows);
    }
}
