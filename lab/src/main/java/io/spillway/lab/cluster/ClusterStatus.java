// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.lab.cluster.ClusterSpec.FileSystemKind;
import io.spillway.lab.cluster.daemon.DaemonRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a cluster is.
 *
 * @param name its name
 * @param daemons each of its daemons
 */
public record ClusterStatus(String name, List<Daemon> daemons) {
    /**
     * One daemon.
     *
     * @param name its name
     * @param pid its process, if it is alive
     * @param address where its pages are
     * @param detail what else is to be told
     */
    public record Daemon(String name, Optional<Long> pid, String address, String detail) {}

    /** Whether every daemon is alive. */
    public boolean isComplete() {
        return daemons.stream().allMatch(daemon -> daemon.pid().isPresent());
    }

    static ClusterStatus of(final ClusterState state, final DaemonLauncher launcher) {
        final ClusterPorts ports = state.ports();
        final List<Daemon> daemons = new ArrayList<>();
        if (state.spec().fileSystem() == FileSystemKind.HDFS) {
            daemons.add(master(state, DaemonRole.NAME_NODE, ports.nameNodeWeb(), launcher));
            daemons.add(master(state, DaemonRole.DATA_NODE, ports.dataNodeWeb(), launcher));
        }
        daemons.add(master(state, DaemonRole.RESOURCE_MANAGER, ports.resourceWeb(), launcher));
        daemons.add(master(state, DaemonRole.HISTORY_SERVER, ports.historyWeb(), launcher));
        for (int node = 0; node < state.spec().nodes(); node++) {
            final String name = DaemonLauncher.nodeName(node);
            final ClusterPorts.NodePorts own = ports.nodes().get(node);
            daemons.add(
                    new Daemon(
                            name,
                            launcher.pid(name),
                            state.nodePages(node).toString(),
                            state.spec().handlerOf(node).label()
                                    + " handler on port "
                                    + own.shuffle()));
        }
        for (int index = 0; index < state.spec().memory().count(); index++) {
            final String name = DaemonLauncher.memoryNodeName(index);
            daemons.add(
                    new Daemon(
                            name,
                            launcher.pid(name),
                            state.memoryHost(index) + ":" + ports.memory().get(index),
                            state.spec().memory().bytes()
                                    + " bytes"
                                    + (index == 0 ? ", placement service" : "")));
        }
        if (state.spec().sharedDirectory().isDistributed()) {
            for (final String name : DistributedFs.daemons(state)) {
                daemons.add(new Daemon(name, launcher.pid(name), "", "MooseFS"));
            }
        }
        if (state.spec().hasWorld()) {
            daemons.add(rank(ClusterWorld.NAME, state, launcher, "starts the ranks"));
            ClusterWorld.nodeProcesses(state)
                    .forEach(name -> daemons.add(rank(name, state, launcher, "node process")));
        }
        return new ClusterStatus(state.spec().name(), List.copyOf(daemons));
    }

    private static Daemon rank(
            final String name,
            final ClusterState state,
            final DaemonLauncher launcher,
            final String detail) {
        return new Daemon(name, launcher.pid(name), state.spec().mpirun(), detail);
    }

    private static Daemon master(
            final ClusterState state,
            final DaemonRole role,
            final int web,
            final DaemonLauncher launcher) {
        return new Daemon(
                role.label(), launcher.pid(role.label()), state.masterPages(web).toString(), "");
    }
}
