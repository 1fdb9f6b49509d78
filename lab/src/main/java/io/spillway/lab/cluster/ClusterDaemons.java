// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.CommandException;
import io.spillway.lab.cluster.daemon.DaemonProcess;
import io.spillway.lab.process.MarkedProcesses;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Kills daemons of a running cluster, takes nodes out of it, and starts them again. Not
 * thread-safe.
 */
public final class ClusterDaemons {
    private final ClusterState state;
    private final ClusterConf conf;
    private final ClusterFiles files;
    private final DaemonLauncher launcher;
    private final ClusterStarter starter;

    ClusterDaemons(
            final ClusterState state,
            final ClusterConf conf,
            final ClusterFiles files,
            final DaemonLauncher launcher,
            final ClusterStarter starter) {
        this.state = state;
        this.conf = conf;
        this.files = files;
        this.launcher = launcher;
        this.starter = starter;
    }

    /** Kills a NodeManager without a warning, as a crash does; its containers run on. */
    public void killNodeManager(final int node) {
        launcher.kill(DaemonLauncher.nodeName(node));
    }

    /** Kills a NodeManager and everything it started, as a power failure does. */
    public void crashNode(final int node) {
        launcher.kill(DaemonLauncher.nodeName(node));
        MarkedProcesses.killContainers(state.id(), conf.localFolder(node));
    }

    /** Kills a memory node without a warning. */
    public void killMemoryNode(final int index) {
        launcher.kill(DaemonLauncher.memoryNodeName(index));
    }

    /** Starts a memory node again that was killed, and waits until it serves. */
    public void restartMemoryNode(final int index) {
        starter.startMemoryNode(index);
    }

    /** Starts a NodeManager again that was killed, and waits until it is registered. */
    public void restartNodeManager(final int node) {
        restartNodeManager(node, Map.of());
    }

    /**
     * Starts a NodeManager again that was killed, and waits until it is registered.
     *
     * @param properties added to its yarn-site.xml and mapred-site.xml, until it is restarted again
     */
    public void restartNodeManager(final int node, final Map<String, String> properties) {
        restartNodeManager(node, properties, List.of());
    }

    /**
     * The same, with words before the NodeManager's command.
     *
     * @param prefix as a command that takes another one, which it becomes
     */
    public void restartNodeManager(
            final int node, final Map<String, String> properties, final List<String> prefix) {
        final Map<String, String> yarn = new TreeMap<>(conf.nodeManager(node));
        yarn.putAll(properties);
        // Those of the job are read from the later file, whose defaults would win over the former.
        final Map<String, String> mapred = new TreeMap<>(conf.nodeManagerMapred(node));
        mapred.putAll(properties);
        try {
            files.writeConf(files.nodeConf(node), yarn, mapred);
        } catch (final IOException e) {
            throw new CommandException("cannot configure NodeManager " + node + ": " + e, e);
        }
        final DaemonProcess daemon = launcher.startNode(node, prefix);
        starter.awaitNode(node, conf.nodeId(node), daemon);
    }

    /**
     * Decommissions a NodeManager at once, and waits until it has ended. The cluster's nodes need
     * to be hosts of their own.
     */
    public void decommission(final int node) {
        if (!state.spec().hasOwnHosts()) {
            throw new IllegalStateException(
                    "all nodes of " + state.spec().name() + " are on one host");
        }
        exclude(state.host(node));
        launcher.awaitEnd(DaemonLauncher.nodeName(node));
    }

    /** Starts a NodeManager again that was decommissioned, and waits until it is registered. */
    public void recommission(final int node) {
        exclude("");
        restartNodeManager(node);
    }

    private void exclude(final String hosts) {
        try {
            files.exclude(hosts);
        } catch (final IOException e) {
            throw new CommandException("cannot write " + conf.excludedHosts() + ": " + e, e);
        }
        launcher.refreshNodes();
    }
}
