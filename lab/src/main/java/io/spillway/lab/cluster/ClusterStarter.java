// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.Rest;
import io.spillway.cli.site.Web;
import io.spillway.lab.cluster.ClusterSpec.FileSystemKind;
import io.spillway.lab.cluster.daemon.DaemonLog;
import io.spillway.lab.cluster.daemon.DaemonProcess;
import io.spillway.lab.cluster.daemon.DaemonRole;
import io.spillway.lab.mpi.Mpirun;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * Brings a cluster up: all daemons at once, then waits for each to be of use. A wait ends with an
 * error when one of the daemons that this start is of has ended.
 */
final class ClusterStarter {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PAUSE_MILLIS = 200;

    /** What a node process logs when it does. */
    private static final String SERVES = " serves handlers at ";

    private static final String NODE_INFO = "/ws/v1/node/info";

    private final DaemonLauncher launcher;
    private final ClusterState state;
    private final IntFunction<Map<String, String>> memorySettings;
    private final ClusterWorld world;
    private final Rest rest;
    private final StartListener listener;

    ClusterStarter(
            final DaemonLauncher launcher,
            final ClusterState state,
            final IntFunction<Map<String, String>> memorySettings,
            final ClusterWorld world,
            final Web web,
            final StartListener listener) {
        this.launcher = launcher;
        this.state = state;
        this.memorySettings = memorySettings;
        this.world = world;
        this.rest = new Rest(web);
        this.listener = listener;
    }

    /**
     * Starts all daemons.
     *
     * @param fileSystem that NodeManagers keep files on
     */
    void start(final Optional<DistributedFs> fileSystem) throws IOException {
        final int nodes = state.spec().nodes();
        final boolean hdfs = state.spec().fileSystem() == FileSystemKind.HDFS;
        final int total =
                2 + nodes + nodeProcesses() + (hdfs ? 2 : 0) + (fileSystem.isPresent() ? 1 : 0);
        final List<DaemonProcess> daemons = new ArrayList<>();
        int done = 0;
        if (fileSystem.isPresent()) {
            listener.onStep(done, total, "starting MooseFS");
            daemons.addAll(fileSystem.get().start(this::await));
            listener.onStep(++done, total, "MooseFS");
        }
        listener.onStep(done, total, "starting daemons");
        if (hdfs) {
            launcher.formatNameNode();
            daemons.add(launcher.startMaster(DaemonRole.NAME_NODE));
            daemons.add(launcher.startMaster(DaemonRole.DATA_NODE));
        }
        daemons.add(launcher.startMaster(DaemonRole.RESOURCE_MANAGER));
        daemons.add(launcher.startMaster(DaemonRole.HISTORY_SERVER));
        final List<DaemonLog> processes = startNodeProcesses(daemons);
        for (int node = 0; node < nodes; node++) {
            daemons.add(launcher.startNode(node));
        }
        if (hdfs) {
            await(daemons, "NameNode", () -> dataNodes() >= 0);
            listener.onStep(++done, total, "NameNode");
            await(daemons, "DataNode", () -> dataNodes() > 0);
            listener.onStep(++done, total, "DataNode");
        }
        for (final DaemonLog node : processes) {
            await(daemons, node.name(), () -> node.has(SERVES));
            listener.onStep(++done, total, node.name());
        }
        await(daemons, "ResourceManager", () -> runningNodes() >= 0);
        listener.onStep(++done, total, "ResourceManager");
        for (int node = 1; node <= nodes; node++) {
            final int wanted = node;
            await(daemons, "NodeManager " + node + " of " + nodes, () -> runningNodes() >= wanted);
            listener.onStep(++done, total, "NodeManager " + node);
        }
        await(daemons, "JobHistoryServer", this::historyAnswers);
        listener.onStep(++done, total, "JobHistoryServer");
    }

    private int nodeProcesses() {
        final int ranks = state.spec().hasWorld() ? ClusterWorld.nodeProcesses(state).size() : 0;
        return state.spec().memory().count() + ranks;
    }

    /** Those that are not started by NodeManagers; before these, which are to find them. */
    private List<DaemonLog> startNodeProcesses(final List<DaemonProcess> daemons) {
        if (state.spec().hasWorld()) {
            final Mpirun mpirun = ClusterWorld.mpirun(state.spec());
            final DaemonProcess launched = launcher.startWorld(mpirun, world.ranks(mpirun));
            daemons.add(launched);
            return launched.parts();
        }
        final List<DaemonLog> logs = new ArrayList<>();
        for (int index = 0; index < state.spec().memory().count(); index++) {
            final DaemonProcess node = launcher.startMemoryNode(index, memorySettings.apply(index));
            daemons.add(node);
            logs.add(node.log());
        }
        return logs;
    }

    /** Starts a memory node again, whose log has the lines of its former life, and waits for it. */
    void startMemoryNode(final int index) {
        if (state.spec().hasWorld()) {
            throw new IllegalStateException("a rank does not start without its world");
        }
        final DaemonProcess node = launcher.startMemoryNode(index, memorySettings.apply(index));
        await(List.of(node), node.name(), () -> node.log().has(node.process().pid() + SERVES));
    }

    /**
     * Waits for one NodeManager that was started again.
     *
     * @param id what the ResourceManager calls it
     */
    void awaitNode(final int node, final String id, final DaemonProcess daemon) {
        await(
                List.of(daemon),
                daemon.name(),
                () -> answers(state.nodePages(node).resolve(NODE_INFO)) && isRunning(id));
    }

    private void await(
            final List<DaemonProcess> daemons, final String what, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            daemons.forEach(DaemonProcess::requireAlive);
            if (System.nanoTime() > deadline) {
                throw new CommandException(
                        what
                                + " is not ready after "
                                + PATIENCE.toSeconds()
                                + " s; logs of all daemons: "
                                + launcher.logs());
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted while the cluster starts", e);
        }
    }

    private boolean answers(final URI resource) {
        try {
            rest.get(resource);
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    /** The number of registered nodes, or -1 when the ResourceManager does not answer. */
    private int runningNodes() {
        try {
            return resourceManager("/ws/v1/cluster/metrics")
                    .path("clusterMetrics")
                    .path("activeNodes")
                    .asInt(-1);
        } catch (final IOException e) {
            return -1;
        }
    }

    private boolean isRunning(final String nodeId) {
        try {
            final JsonNode nodes = resourceManager("/ws/v1/cluster/nodes?states=RUNNING");
            for (final JsonNode node : Rest.elements(nodes.path("nodes").path("node"))) {
                if (nodeId.equals(node.path("id").asText())) {
                    return true;
                }
            }
            return false;
        } catch (final IOException e) {
            return false;
        }
    }

    private JsonNode resourceManager(final String path) throws IOException {
        return rest.get(state.masterPages(state.ports().resourceWeb()).resolve(path));
    }

    private boolean historyAnswers() {
        return answers(
                state.masterPages(state.ports().historyWeb()).resolve("/ws/v1/history/info"));
    }

    /** The number of registered DataNodes, or -1 when the NameNode does not answer. */
    private int dataNodes() {
        final String query = "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState";
        try {
            return rest.get(state.masterPages(state.ports().nameNodeWeb()).resolve(query))
                    .path("beans")
                    .path(0)
                    .path("NumLiveDataNodes")
                    .asInt(-1);
        } catch (final IOException e) {
            return -1;
        }
    }
}
