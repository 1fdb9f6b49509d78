// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.site.BriefJvm;
import io.spillway.lab.cluster.ClusterSpec.FileSystemKind;
import io.spillway.lab.cluster.ClusterSpec.Handler;
import io.spillway.lab.hosts.HostNetwork;
import io.spillway.lab.process.MarkedProcesses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The configuration of a local cluster: what a site's files would hold. Nothing of Spillway is in
 * what clients and tasks see; an engine's properties are added to a job when it is submitted.
 */
final class ClusterConf {
    /** The class that stands for {@code mapreduce_shuffle} where Spillway serves. */
    static final String SPILLWAY_HANDLER = "io.spillway.hadoop.SpillwayShuffleHandler";

    private static final String STOCK_HANDLER = "org.apache.hadoop.mapred.ShuffleHandler";
    private static final String BLOCK_BYTES = String.valueOf(128L << 20);

    /** Hadoop's second is for thousands of nodes; here it would be most of a small job. */
    private static final String HEARTBEAT_MILLIS = "250";

    private static final String LOCAL_DIRS = "yarn.nodemanager.local-dirs";
    private static final String NODE_MEMORY = "spillway.node.memory.bytes";
    private static final String NODE_EXPIRY_MILLIS = "15000";

    /** Emulated hosts have the same path each: to each it is another place. */
    private static final Path HOST_MEMORY = HostNetwork.SHARED_MEMORY.resolve("spillway");

    private final ClusterState state;
    private final Path folder;
    private final List<String> taskClassPath;

    ClusterConf(final ClusterState state, final Path folder, final List<String> taskClassPath) {
        this.state = state;
        this.folder = folder;
        this.taskClassPath = List.copyOf(taskClassPath);
    }

    /** core-site.xml */
    Map<String, String> core() {
        final Map<String, String> conf = new TreeMap<>();
        conf.put("fs.defaultFS", defaultFileSystem());
        conf.put("hadoop.tmp.dir", folder.resolve("tmp").toString());
        // Tasks share a cached LocalFileSystem with the submitter's working directory otherwise.
        conf.put("fs.file.impl.disable.cache", "true");
        conf.put("fs.local.block.size", BLOCK_BYTES);
        conf.putAll(state.spec().properties());
        return conf;
    }

    private String defaultFileSystem() {
        return state.spec().fileSystem() == FileSystemKind.HDFS
                ? "hdfs://" + at(state.ports().nameNode())
                : "file:///";
    }

    /** hdfs-site.xml */
    Map<String, String> hdfs() {
        final ClusterPorts ports = state.ports();
        final Map<String, String> conf = new TreeMap<>();
        conf.put("dfs.replication", "1");
        conf.put("dfs.blocksize", BLOCK_BYTES);
        conf.put("dfs.namenode.rpc-address", at(ports.nameNode()));
        conf.put("dfs.namenode.http-address", at(ports.nameNodeWeb()));
        conf.put("dfs.namenode.name.dir", folder.resolve("hdfs/name").toUri().toString());
        conf.put("dfs.namenode.safemode.extension", "0");
        conf.put("dfs.datanode.address", at(ports.dataNode()));
        conf.put("dfs.datanode.ipc.address", at(ports.dataNodeIpc()));
        conf.put("dfs.datanode.http.address", at(ports.dataNodeWeb()));
        conf.put("dfs.datanode.data.dir", folder.resolve("hdfs/data").toUri().toString());
        conf.put("dfs.datanode.du.reserved", "0");
        conf.putAll(state.spec().properties());
        return conf;
    }

    /** mapred-site.xml */
    Map<String, String> mapred() {
        final ClusterPorts ports = state.ports();
        final ClusterSize size = state.size();
        final Map<String, String> conf = new TreeMap<>();
        conf.put("mapreduce.framework.name", "yarn");
        conf.put("mapreduce.application.classpath", String.join(",", taskClassPath));
        conf.put("mapreduce.map.memory.mb", String.valueOf(size.containerMb()));
        conf.put("mapreduce.reduce.memory.mb", String.valueOf(size.containerMb()));
        conf.put("mapreduce.map.java.opts", "-Xmx" + size.heapMb() + "m");
        conf.put("mapreduce.reduce.java.opts", "-Xmx" + size.heapMb() + "m");
        conf.put("yarn.app.mapreduce.am.resource.mb", String.valueOf(size.masterMb()));
        conf.put("yarn.app.mapreduce.am.command-opts", BriefJvm.line(size.masterMb() * 3 / 4));
        conf.put("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", HEARTBEAT_MILLIS);
        conf.put("mapreduce.client.progressmonitor.pollinterval", HEARTBEAT_MILLIS);
        conf.put("yarn.app.mapreduce.am.staging-dir", data("staging"));
        conf.put("mapreduce.jobhistory.address", at(ports.history()));
        conf.put("mapreduce.jobhistory.admin.address", at(ports.historyAdmin()));
        conf.put("mapreduce.jobhistory.webapp.address", at(ports.historyWeb()));
        conf.put("mapreduce.jobhistory.intermediate-done-dir", data("history/intermediate"));
        conf.put("mapreduce.jobhistory.done-dir", data("history/done"));
        conf.putAll(placement());
        conf.putAll(lustreTier());
        if (state.spec().hasWorld()) {
            conf.put("spillway.mpi.socket", ClusterWorld.socketOfTasks(nodeSocket()).toString());
        }
        conf.putAll(state.spec().properties());
        return conf;
    }

    /** By what jobs and node processes find the placement service. */
    private Map<String, String> placement() {
        return state.spec().memory().any()
                ? Map.of(
                        "spillway.placement.service",
                        state.memoryHost(0) + ":" + state.ports().memory().get(0))
                : Map.of();
    }

    /** By what tasks and nodes find the directory that all hosts share. */
    private Map<String, String> lustreTier() {
        return sharedFolder()
                .map(shared -> Map.of("spillway.store.lustre.dir", shared.toString()))
                .orElse(Map.of());
    }

    /** The directory that all hosts share; only this cluster has files there. */
    Optional<Path> sharedFolder() {
        final SharedDirectory directory = state.spec().sharedDirectory();
        return switch (directory.kind()) {
            case NONE -> Optional.empty();
            case DISTRIBUTED -> Optional.of(DistributedFs.mountPoint(folder));
            case EXISTING ->
                    Optional.of(Path.of(directory.path(), "spillway-cluster-" + state.id()));
        };
    }

    /** What the node process of the NodeManagers' hosts is, where there are memory nodes. */
    private Map<String, String> member() {
        final Map<String, String> conf = new TreeMap<>(placement());
        if (!conf.isEmpty()) {
            conf.put("spillway.node.launch", "true");
            conf.put("spillway.placement.secret.file", clusterSecret().toString());
            conf.put(NODE_MEMORY, String.valueOf(state.spec().memory().bytes()));
        }
        return conf;
    }

    /** The settings of a memory node. */
    Map<String, String> memoryNode(final int index) {
        final Map<String, String> conf = new TreeMap<>(member());
        final Path folderOfSocket = memoryFolder().orElse(folder);
        conf.put(
                "spillway.node.socket",
                folderOfSocket.resolve("memory-" + index + "/node.sock").toString());
        conf.put("spillway.node.host", state.memoryHost(index));
        conf.put("spillway.node.tcp.port", String.valueOf(state.ports().memory().get(index)));
        conf.put("spillway.node.http.port", "none");
        conf.put("spillway.node.memory.only", "true");
        conf.put("spillway.placement.serve", String.valueOf(index == 0));
        conf.putAll(transports());
        return conf;
    }

    /** The file by which node processes know each other. */
    Path clusterSecret() {
        return folder.resolve("conf/cluster.secret");
    }

    /** A path on the cluster's file system for what Hadoop keeps there. */
    private String data(final String name) {
        return state.spec().fileSystem() == FileSystemKind.HDFS
                ? "/" + name
                : folder.resolve("shared").resolve(name).toString();
    }

    /** yarn-site.xml as clients, the ResourceManager and ApplicationMasters see it. */
    Map<String, String> yarn() {
        final ClusterPorts ports = state.ports();
        final ClusterSize size = state.size();
        final Map<String, String> conf = new TreeMap<>();
        conf.put("yarn.resourcemanager.hostname", state.masterHost());
        conf.put("yarn.resourcemanager.address", at(ports.resourceManager()));
        conf.put("yarn.resourcemanager.scheduler.address", at(ports.scheduler()));
        conf.put("yarn.resourcemanager.resource-tracker.address", at(ports.tracker()));
        conf.put("yarn.resourcemanager.admin.address", at(ports.resourceAdmin()));
        conf.put("yarn.resourcemanager.webapp.address", at(ports.resourceWeb()));
        conf.put("yarn.resourcemanager.connect.max-wait.ms", "60000");
        conf.put("yarn.client.nodemanager-connect.max-wait-ms", "20000");
        conf.put("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", HEARTBEAT_MILLIS);
        conf.put("yarn.nm.liveness-monitor.expiry-interval-ms", NODE_EXPIRY_MILLIS);
        conf.put("yarn.scheduler.minimum-allocation-mb", "256");
        conf.put("yarn.scheduler.maximum-allocation-mb", String.valueOf(size.nodeMb()));
        conf.put("yarn.scheduler.maximum-allocation-vcores", String.valueOf(size.nodeCores()));
        conf.put("yarn.application.classpath", String.join(",", taskClassPath));
        conf.put("yarn.resourcemanager.nodes.exclude-path", excludedHosts().toString());
        conf.put("yarn.nodemanager.aux-services", "mapreduce_shuffle");
        conf.put("yarn.nodemanager.recovery.enabled", "true");
        conf.put("yarn.log-aggregation-enable", "false");
        conf.putAll(ownStores());
        sharedLocalDirs().ifPresent(dirs -> conf.put(LOCAL_DIRS, dirs.toString()));
        conf.putAll(state.spec().properties());
        return conf;
    }

    /**
     * Where Hadoop keeps what it otherwise keeps in a folder of the user in /tmp, which clusters of
     * one machine would share: two ResourceManagers that start at once take each other's files.
     */
    private Map<String, String> ownStores() {
        return Map.of(
                "yarn.node-attribute.fs-store.root-dir",
                folder.resolve("resource-manager/node-attribute").toUri().toString(),
                "yarn.node-labels.fs-store.root-dir",
                folder.resolve("resource-manager/node-labels").toUri().toString(),
                "yarn.nodemanager.remote-app-log-dir",
                data("logs"));
    }

    /** yarn-site.xml of one NodeManager. */
    Map<String, String> nodeManager(final int node) {
        final ClusterPorts.NodePorts ports = state.ports().nodes().get(node);
        final ClusterSize size = state.size();
        final Path own = nodeFolder(node);
        final Map<String, String> conf = yarn();
        // Nodes of a host, whatever they are to Hadoop, share its name.
        final String host = state.hosts() == null ? state.masterHost() : state.host(node);
        conf.put("yarn.nodemanager.hostname", host);
        conf.put("yarn.nodemanager.address", nodeId(node));
        conf.put("yarn.nodemanager.localizer.address", host + ":" + ports.localizer());
        conf.put("yarn.nodemanager.webapp.address", host + ":" + ports.web());
        conf.put(
                "yarn.nodemanager.aux-services.mapreduce_shuffle.class",
                state.spec().handlerOf(node) == Handler.SPILLWAY
                        ? SPILLWAY_HANDLER
                        : STOCK_HANDLER);
        conf.put("yarn.nodemanager.resource.memory-mb", String.valueOf(size.nodeMb()));
        conf.put("yarn.nodemanager.resource.cpu-vcores", String.valueOf(size.nodeCores()));
        conf.put("yarn.nodemanager.vmem-check-enabled", "false");
        conf.put(LOCAL_DIRS, localFolder(node).toString());
        conf.put("yarn.nodemanager.log-dirs", own.resolve("containers").toString());
        memoryFolder()
                .ifPresent(
                        memory -> {
                            conf.put("spillway.store.memory.dir", memory.toString());
                            conf.put("spillway.store.nvm.dir", memory.toString());
                        });
        conf.put("spillway.node.socket", nodeSocket().toString());
        conf.put("spillway.node.host", host);
        conf.putAll(transports());
        conf.putAll(member());
        conf.putAll(lustreTier());
        conf.put("spillway.node.http.port", "none");
        conf.put("yarn.nodemanager.recovery.dir", own.resolve("recovery").toString());
        conf.put("yarn.nodemanager.recovery.supervised", "true");
        conf.put(
                "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
                "99.5");
        conf.put(
                "yarn.nodemanager.env-whitelist",
                "JAVA_HOME,PATH,LANG,TZ," + MarkedProcesses.VARIABLE);
        conf.putAll(state.spec().properties());
        if (state.spec().hasWorld()) {
            conf.put("spillway.node.launch", "false");
        }
        return conf;
    }

    /**
     * What a NodeManager's mapred-site.xml holds beside. In its yarn-site.xml the default of
     * mapred-default.xml, which is loaded later, would win.
     */
    Map<String, String> nodeManagerMapred(final int node) {
        final int port = state.ports().nodes().get(node).shuffle();
        return Map.of("mapreduce.shuffle.port", String.valueOf(port));
    }

    /** What a NodeManager is called by the ResourceManager: its host and port. */
    String nodeId(final int node) {
        return state.host(node) + ":" + state.ports().nodes().get(node).manager();
    }

    /**
     * Settings of transports that nodes and tasks have to agree on. UCX is to take a host's link,
     * and sockets, for there is no other network; within a host it may share memory.
     */
    Map<String, String> transports() {
        return state.hosts() == null
                ? Map.of()
                : Map.of(
                        "spillway.ucx.tls",
                        "tcp,shm,self",
                        "spillway.ucx.net-devices",
                        HostNetwork.INTERFACE);
    }

    /** The file of the hosts that are decommissioned. */
    Path excludedHosts() {
        return folder.resolve("conf/excluded-hosts");
    }

    /** Where the nodes keep map output in memory, where the host has such a place. */
    Optional<Path> memoryFolder() {
        if (!Files.isWritable(ClusterMemory.SHARED)) {
            return Optional.empty();
        }
        return Optional.of(
                state.hosts() == null ? ClusterMemory.ofCluster(state.id()) : HOST_MEMORY);
    }

    /** The Unix socket of the node process that serves all nodes; its path must be short. */
    Path nodeSocket() {
        return memoryFolder().orElse(folder).resolve("node/node.sock");
    }

    /** capacity-scheduler.xml */
    Map<String, String> scheduler() {
        final Map<String, String> conf = new TreeMap<>();
        conf.put("yarn.scheduler.capacity.root.queues", "default");
        conf.put("yarn.scheduler.capacity.root.default.capacity", "100");
        conf.put("yarn.scheduler.capacity.maximum-am-resource-percent", "0.5");
        // Hadoop's 5 ms are for thousands of nodes; here the thread would only take CPU.
        conf.put("yarn.scheduler.capacity.schedule-asynchronously.scheduling-interval-ms", "50");
        if (state.spec().hasOwnHosts()) {
            // No node is the host of any data: nothing is worth waiting for.
            conf.put("yarn.scheduler.capacity.node-locality-delay", "-1");
        }
        return conf;
    }

    /** Where one NodeManager keeps its files and its containers' logs. */
    Path nodeFolder(final int node) {
        return folder.resolve("nodes").resolve(String.valueOf(node));
    }

    /** Where the containers of one NodeManager have their files. */
    Path localFolder(final int node) {
        return sharedLocalDirs()
                .map(shared -> shared.resolve(String.valueOf(node)))
                .orElse(nodeFolder(node))
                .resolve("local");
    }

    /** The folder of all hosts' local directories, where these have no disk. */
    private Optional<Path> sharedLocalDirs() {
        return sharedFolder()
                .filter(shared -> state.spec().sharedDirectory().diskless())
                .map(shared -> shared.resolve("nodes"));
    }

    private String at(final int port) {
        return state.masterHost() + ":" + port;
    }
}
