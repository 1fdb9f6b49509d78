// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.CommonKeys;
import io.spillway.conf.MpiStart;
import io.spillway.lab.cluster.ClusterSpec.Handler;
import io.spillway.lab.mpi.Mpirun;
import io.spillway.transport.mpi.library.MpiKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The node processes of a cluster as ranks of one MPI world: the memory nodes, then that of each
 * host whose NodeManagers have Spillway's handler. Without emulated hosts that is one, for node
 * processes of one user and host are one. Immutable.
 */
final class ClusterWorld {
    /** What its launcher is called. */
    static final String NAME = "mpi-world";

    private static final String SOCKET = "mpi.sock";
    private static final String OURS = "spillway.";

    private final ClusterState state;
    private final ClusterConf conf;
    private final ClusterFiles files;

    /**
     * A rank.
     *
     * @param name of its log and process
     * @param host it is to be on
     * @param conf the folder of its configuration
     * @param settings that win over those
     */
    record Rank(String name, String host, Path conf, Map<String, String> settings) {}

    ClusterWorld(final ClusterState state, final ClusterConf conf, final ClusterFiles files) {
        this.state = state;
        this.conf = conf;
        this.files = files;
    }

    /**
     * The launcher that a cluster is to have.
     *
     * @throws BadInputException where there is none
     */
    static Mpirun mpirun(final ClusterSpec spec) {
        try {
            return Mpirun.find(spec.mpirun(), System.getenv("PATH"));
        } catch (final IOException e) {
            throw new BadInputException(
                    Mpirun.OPTION + " " + spec.mpirun() + ": " + e.getMessage());
        }
    }

    /** Where the tasks of a host find its rank. */
    static Path socketOfTasks(final Path nodeSocket) {
        return nodeSocket.resolveSibling(SOCKET);
    }

    /** The names of the ranks that are no memory nodes. */
    static List<String> nodeProcesses(final ClusterState state) {
        return nodes(state).stream().map(ClusterWorld::name).toList();
    }

    private static String name(final int node) {
        return "nodeprocess-" + node;
    }

    private static List<Integer> nodes(final ClusterState state) {
        final List<Integer> nodes = new ArrayList<>();
        for (int node = 0; node < state.spec().nodes(); node++) {
            if (state.spec().handlerOf(node) == Handler.SPILLWAY) {
                nodes.add(node);
            }
        }
        return state.hosts() == null ? nodes.subList(0, Math.min(1, nodes.size())) : nodes;
    }

    /** All of them, in their order. */
    List<Rank> ranks(final Mpirun mpirun) {
        final List<Rank> ranks = new ArrayList<>();
        for (int index = 0; index < state.spec().memory().count(); index++) {
            ranks.add(
                    new Rank(
                            DaemonLauncher.memoryNodeName(index),
                            state.memoryHost(index),
                            files.masterConf(),
                            asRank(conf.memoryNode(index), mpirun)));
        }
        for (final int node : nodes(state)) {
            ranks.add(
                    new Rank(
                            name(node),
                            state.host(node),
                            files.nodeConf(node),
                            asRank(ours(conf.nodeManager(node)), mpirun)));
        }
        return ranks;
    }

    /** What a NodeManager gives to the node process that it starts. */
    private static Map<String, String> ours(final Map<String, String> properties) {
        final Map<String, String> ours = new TreeMap<>(properties);
        ours.keySet().removeIf(name -> !name.startsWith(OURS));
        return ours;
    }

    private static Map<String, String> asRank(
            final Map<String, String> settings, final Mpirun mpirun) {
        final Map<String, String> all = new TreeMap<>(settings);
        all.put(MpiKeys.MPI_WORLD.name(), MpiStart.LAUNCHED.text());
        final Path nodeSocket = Path.of(settings.get(CommonKeys.NODE_SOCKET.name()));
        all.put(MpiKeys.MPI_SOCKET.name(), socketOfTasks(nodeSocket).toString());
        all.putIfAbsent(MpiKeys.MPI_COMPILER.name(), mpirun.compiler());
        return all;
    }
}
