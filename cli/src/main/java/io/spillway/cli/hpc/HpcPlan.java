// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.BadInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Who does what in an allocation. Immutable.
 *
 * @param id of the allocation
 * @param master has the ResourceManager and the JobHistoryServer
 * @param workers have NodeManagers; the master is one of them where it is alone
 * @param memoryNodes hold map outputs and run no tasks
 * @param isMpi whether node processes are ranks of an MPI world
 * @param ports that are free on all of them, ascending
 */
record HpcPlan(
        String id,
        HostFacts master,
        List<HostFacts> workers,
        List<HostFacts> memoryNodes,
        boolean isMpi,
        List<Integer> ports) {
    private static final int PORTS = 9;
    private static final int FIRST_PORT = 20_000;

    /** From here on ports are given to connections. */
    private static final int END_OF_PORTS = 32_768;

    HpcPlan {
        workers = List.copyOf(workers);
        memoryNodes = List.copyOf(memoryNodes);
        ports = List.copyOf(ports);
    }

    /**
     * Gives the first host to the master, the last ones to memory, and the others to tasks.
     *
     * @param hosts in the order of the allocation
     */
    static HpcPlan of(
            final String id,
            final List<HostFacts> hosts,
            final int memoryNodes,
            final boolean isMpi) {
        final int most = Math.max(0, hosts.size() - 2);
        if (memoryNodes < 0 || memoryNodes > most) {
            throw new BadInputException(
                    "--memory-nodes "
                            + memoryNodes
                            + ": expected 0 to "
                            + most
                            + " of "
                            + hosts.size()
                            + " hosts: one is the master, and one has to run tasks");
        }
        final int end = hosts.size() - memoryNodes;
        return new HpcPlan(
                id,
                hosts.get(0),
                hosts.subList(hosts.size() == 1 ? 0 : 1, end),
                hosts.subList(end, hosts.size()),
                isMpi,
                freePorts(id, hosts));
    }

    /** Two allocations that share a host begin their search at different places. */
    private static List<Integer> freePorts(final String id, final List<HostFacts> hosts) {
        final Set<Integer> busy =
                hosts.stream()
                        .flatMap(host -> host.busyPorts().stream())
                        .collect(Collectors.toSet());
        final int range = END_OF_PORTS - FIRST_PORT;
        final int start = Math.floorMod(id.hashCode() * PORTS, range);
        final List<Integer> free =
                IntStream.range(0, range)
                        .map(step -> FIRST_PORT + (start + step) % range)
                        .filter(port -> !busy.contains(port))
                        .limit(PORTS)
                        .sorted()
                        .boxed()
                        .toList();
        if (free.size() < PORTS) {
            throw new BadInputException("fewer than " + PORTS + " free ports on " + hosts.get(0));
        }
        return free;
    }

    /** All hosts, each once. */
    List<HostFacts> hosts() {
        final List<HostFacts> all = new ArrayList<>(List.of(master));
        workers.stream().filter(host -> !host.equals(master)).forEach(all::add);
        all.addAll(memoryNodes);
        return all;
    }

    /** What runs on a host. */
    List<HostRole> roles(final HostFacts host) {
        final List<HostRole> roles = new ArrayList<>();
        if (memoryNodes.contains(host)) {
            roles.add(isMpi ? HostRole.MEMORY_RANK : HostRole.MEMORY_NODE);
        }
        if (host.equals(master)) {
            roles.add(HostRole.RESOURCE_MANAGER);
            roles.add(HostRole.HISTORY_SERVER);
            if (isMpi) {
                roles.add(HostRole.MPI_WORLD);
            }
        }
        if (workers.contains(host)) {
            roles.add(HostRole.NODE_MANAGER);
            if (isMpi) {
                roles.add(HostRole.RANK);
            }
        }
        return roles;
    }
}
