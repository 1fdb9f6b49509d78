// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.site.Web;
import io.spillway.lab.hosts.HostNetwork;
import io.spillway.lab.hosts.HostPlan;
import io.spillway.lab.hosts.HostWeb;
import io.spillway.lab.process.MarkedProcesses;
import io.spillway.lab.process.PidFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Where the processes of one cluster run: on this machine, or on hosts that it emulates. */
final class ClusterHosts {
    private final ClusterState state;
    private final Optional<HostNetwork> network;
    private final Web web;

    /**
     * The hosts of a cluster, whether they are there yet or not.
     *
     * @param folder for what they need while they start
     */
    ClusterHosts(final ClusterState state, final Path folder, final PidFiles pids) {
        final Map<String, String> mark = Map.of(MarkedProcesses.VARIABLE, state.id());
        this.state = state;
        this.network =
                Optional.ofNullable(state.hosts())
                        .map(
                                plan ->
                                        new HostNetwork(
                                                plan, state.spec().link(), folder, mark, pids));
        this.web =
                network.<Web>map(hosts -> new HostWeb(() -> hosts.on(HostPlan.MASTER), mark))
                        .orElse(Web.DIRECT);
    }

    /** Makes them, where they are not simply this machine. */
    void create() {
        network.ifPresent(hosts -> hosts.create(ClusterSize.machineMemoryMb()));
    }

    /** Makes nothing from now on. */
    void refuse() {
        network.ifPresent(HostNetwork::refuse);
    }

    /** What goes before a command that is to run on a host of this name. */
    List<String> on(final String name) {
        return network.map(hosts -> hosts.on(name)).orElse(List.of());
    }

    /** The emulated ones, where there are. */
    Optional<HostNetwork> network() {
        return network;
    }

    /** Reaches the daemons' pages. */
    Web web() {
        return web;
    }

    /** What is emulated, in words. */
    Optional<String> emulation() {
        return Optional.ofNullable(state.hosts())
                .map(
                        plan ->
                                String.format(
                                        Locale.ROOT,
                                        "%d hosts emulated on one machine, link %s (%s)%s",
                                        state.firstDataServer(),
                                        state.spec().link().name(),
                                        state.spec().link().describe(),
                                        distributedFs()));
    }

    private String distributedFs() {
        final int servers = state.spec().dataServers();
        return servers == 0
                ? ""
                : ", MooseFS of " + servers + " data servers on hosts of their own";
    }
}
