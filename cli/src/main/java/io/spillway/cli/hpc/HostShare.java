// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import java.util.List;

/**
 * What YARN gives of the workers' hosts. Immutable.
 *
 * @param containerMb of a map or a reducer, in MiB
 * @param masterMb of an ApplicationMaster, in MiB
 * @param largestMb that a host gives to containers, in MiB
 * @param largestCores that a host gives
 */
record HostShare(long containerMb, long masterMb, long largestMb, int largestCores) {
    private static final long STEP_MB = 128;
    private static final long LEAST_CONTAINER_MB = 1024;
    private static final long MOST_CONTAINER_MB = 8192;
    private static final long MASTER_MB = 1536;

    /** Of a worker: the rest is for the NodeManager, map outputs in memory, and the system. */
    private static final double OF_CONTAINERS = 0.7;

    /** Of a memory node: the rest is for its heap and buffers, and the system. */
    private static final double OF_OUTPUTS = 0.75;

    /**
     * A container for each core where the memory is enough, the same on all hosts. A worker alone
     * has room for one beside the ApplicationMaster.
     */
    static HostShare of(final List<HostFacts> workers) {
        final long perCore =
                workers.stream()
                        .mapToLong(host -> containersMb(host) / host.cores())
                        .min()
                        .orElseThrow();
        final long smallest =
                workers.stream().mapToLong(HostShare::containersMb).min().orElseThrow();
        final long master = Math.min(MASTER_MB, smallest / 2);
        final long room = workers.size() == 1 ? smallest - master : smallest;
        final long container =
                Math.min(room, Math.max(LEAST_CONTAINER_MB, Math.min(perCore, MOST_CONTAINER_MB)));
        return new HostShare(
                container / STEP_MB * STEP_MB,
                master,
                workers.stream().mapToLong(HostShare::containersMb).max().orElseThrow(),
                workers.stream().mapToInt(HostFacts::cores).max().orElseThrow());
    }

    /** What a worker gives to containers, in MiB. */
    static long containersMb(final HostFacts host) {
        return (long) (host.memoryMb() * OF_CONTAINERS) / STEP_MB * STEP_MB;
    }

    /** What a memory node gives to map outputs, in MiB. */
    static long outputsMb(final HostFacts host) {
        return (long) (host.memoryMb() * OF_OUTPUTS);
    }
}
