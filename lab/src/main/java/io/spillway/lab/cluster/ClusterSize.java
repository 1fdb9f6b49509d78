// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import com.sun.management.OperatingSystemMXBean;
import io.spillway.cli.failure.BadInputException;
import java.lang.management.ManagementFactory;

/**
 * How many tasks run at a time, and what memory each node says it has.
 *
 * <p>Hadoop's default scheduler counts memory only. A node therefore advertises what its share of
 * the task slots needs plus one ApplicationMaster, and no more, so that the number of tasks at a
 * time is the number of slots.
 *
 * @param slotsPerNode tasks at a time on each node
 * @param heapMb a task's heap
 * @param containerMb a task's container: the heap and what a JVM needs beside it
 * @param masterMb an ApplicationMaster's container
 */
public record ClusterSize(int slotsPerNode, int heapMb, int containerMb, int masterMb) {
    /** A task's heap where none is asked for. */
    public static final int DEFAULT_HEAP_MB = 1024;

    private static final int MASTER_MB = 1024;
    private static final int DAEMON_MB = 400;
    private static final int LEAST_SLOTS = 2;
    private static final int SLOTS_PER_CORE = 2;

    /** What one node advertises. */
    public int nodeMb() {
        return slotsPerNode * containerMb + masterMb;
    }

    /** Virtual cores one node advertises: one a container. */
    public int nodeCores() {
        return slotsPerNode + 1;
    }

    /**
     * Sizes a cluster.
     *
     * @param cores of the machine
     * @param memoryMb of the machine
     * @param nodes number of NodeManagers
     * @param slots tasks at a time in all, or 0 for two a core as memory allows
     * @param heapMb a task's heap
     */
    static ClusterSize of(
            final int cores,
            final long memoryMb,
            final int nodes,
            final int slots,
            final int heapMb) {
        final int containerMb = heapMb + Math.max(256, heapMb / 2);
        final int wanted = slots > 0 ? slots : slotsFor(cores, memoryMb, nodes, containerMb);
        final int perNode = (wanted + nodes - 1) / nodes;
        final ClusterSize size = new ClusterSize(perNode, heapMb, containerMb, MASTER_MB);
        final long needed = (long) nodes * (perNode * containerMb + DAEMON_MB) + MASTER_MB;
        if (needed > memoryMb) {
            throw new BadInputException(
                    nodes
                            + " nodes with "
                            + perNode
                            + " tasks of "
                            + containerMb
                            + " MiB need about "
                            + needed
                            + " MiB, this machine has "
                            + memoryMb
                            + "; take fewer --nodes, --slots or a smaller --heap");
        }
        return size;
    }

    private static int slotsFor(
            final int cores, final long memoryMb, final int nodes, final int containerMb) {
        final long free = memoryMb - MASTER_MB - (nodes + 3L) * DAEMON_MB;
        final long byMemory = free / containerMb;
        return (int) Math.max(LEAST_SLOTS, Math.min((long) cores * SLOTS_PER_CORE, byMemory));
    }

    /** The memory of this machine (of its control group where that is less), in MiB. */
    static long machineMemoryMb() {
        final OperatingSystemMXBean machine =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return machine.getTotalMemorySize() >> 20;
    }
}
