// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import java.util.Map;
import java.util.TreeMap;

/**
 * CPU time of the processes that serve map output, in milliseconds by process id. Immutable.
 *
 * @param nodeManagers all NodeManagers of a site
 * @param nodeProcesses all of Spillway's node processes
 */
public record ServiceCpu(Map<Long, Long> nodeManagers, Map<Long, Long> nodeProcesses) {
    /** What is known of a site whose processes are out of sight. */
    public static final ServiceCpu UNKNOWN = new ServiceCpu(Map.of(), Map.of());

    /** Copies what is mutable. */
    public ServiceCpu {
        nodeManagers = Map.copyOf(nodeManagers);
        nodeProcesses = Map.copyOf(nodeProcesses);
    }

    /** What was taken since an earlier sample; a process that began after it counts as a whole. */
    public ServiceCpu since(final ServiceCpu earlier) {
        return new ServiceCpu(
                since(nodeManagers, earlier.nodeManagers),
                since(nodeProcesses, earlier.nodeProcesses));
    }

    private static Map<Long, Long> since(final Map<Long, Long> now, final Map<Long, Long> earlier) {
        final Map<Long, Long> taken = new TreeMap<>();
        now.forEach((pid, millis) -> taken.put(pid, millis - earlier.getOrDefault(pid, 0L)));
        return taken;
    }

    /** Milliseconds of all NodeManagers; not a number where none is known. */
    public double nodeManagerMillis() {
        return sum(nodeManagers);
    }

    /** Milliseconds of all node processes; not a number where none is known. */
    public double nodeProcessMillis() {
        return sum(nodeProcesses);
    }

    private static double sum(final Map<Long, Long> millis) {
        return millis.isEmpty()
                ? Double.NaN
                : millis.values().stream().mapToLong(Long::longValue).sum();
    }
}
