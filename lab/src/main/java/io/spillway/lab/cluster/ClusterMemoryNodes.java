// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.BadInputException;

/**
 * The memory that a cluster has for map outputs beside its NodeManagers' tiers. Immutable.
 *
 * @param count node processes without a NodeManager, each a memory node; the first one is the
 *     placement service too
 * @param bytes that each of them gives, and each node process of the NodeManagers
 */
public record ClusterMemoryNodes(int count, long bytes) {
    /** None: node processes are started as the properties say. */
    public static final ClusterMemoryNodes NONE = new ClusterMemoryNodes(0, 0);

    /** What one gives where nothing else is asked for: a sixteenth of this machine's memory. */
    public static final long DEFAULT_BYTES = (ClusterSize.machineMemoryMb() / 16) << 20;

    /** One, for jobs that ask for memory nodes. */
    public static final ClusterMemoryNodes ONE = new ClusterMemoryNodes(1, DEFAULT_BYTES);

    private static final int MOST = 32;
    private static final long LEAST_BYTES = 1L << 20;

    /** Checks the numbers. */
    public ClusterMemoryNodes {
        if (count < 0 || count > MOST) {
            throw new BadInputException("--memory-nodes " + count + ": expected 0 to " + MOST);
        }
        if (count > 0 && bytes < LEAST_BYTES) {
            throw new BadInputException(
                    "--node-memory " + bytes + ": expected at least " + LEAST_BYTES + " bytes");
        }
    }

    /** Whether there are any. */
    public boolean any() {
        return count > 0;
    }
}
