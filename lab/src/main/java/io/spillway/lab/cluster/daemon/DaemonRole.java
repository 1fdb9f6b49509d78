// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster.daemon;

import io.spillway.cli.site.BriefJvm;
import java.util.List;

/** The daemons of a cluster. */
public enum DaemonRole {
    NAME_NODE("namenode", "org.apache.hadoop.hdfs.server.namenode.NameNode", 256, true),
    DATA_NODE("datanode", "org.apache.hadoop.hdfs.server.datanode.DataNode", 256, false),
    RESOURCE_MANAGER(
            "resourcemanager",
            "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
            384,
            true),
    /** Serves map output, so it gets the full compiler and room for buffers. */
    NODE_MANAGER(
            "nodemanager", "org.apache.hadoop.yarn.server.nodemanager.NodeManager", 512, false),
    /** Keeps map outputs; its memory is the cluster's to say. */
    MEMORY_NODE("memorynode", "io.spillway.node.process.NodeMain", 256, false),
    HISTORY_SERVER(
            "historyserver", "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer", 384, true),
    /** Not a daemon: what an administrator calls. */
    ADMIN("rmadmin", "org.apache.hadoop.yarn.client.cli.RMAdminCLI", 128, true),
    /** Not a daemon either: what a user calls. */
    APPLICATIONS("application", "org.apache.hadoop.yarn.client.cli.ApplicationCLI", 128, true);

    private final String label;
    private final String mainClass;
    private final int heapMb;
    private final boolean light;

    DaemonRole(final String label, final String mainClass, final int heapMb, final boolean light) {
        this.label = label;
        this.mainClass = mainClass;
        this.heapMb = heapMb;
        this.light = light;
    }

    /** What its log, and messages, call it. */
    public String label() {
        return label;
    }

    /** What its JVM runs. */
    public String mainClass() {
        return mainClass;
    }

    /**
     * What its JVM is started with. Light daemons skip the optimising compiler, which is costly.
     */
    public List<String> jvmOptions() {
        final String heap = "-Xmx" + heapMb + "m";
        final String opens = "--add-opens=java.base/java.lang=ALL-UNNAMED";
        final String collector = BriefJvm.ONE_COLLECTOR;
        final String noPerfFile = "-XX:-UsePerfData";
        return light
                ? List.of(heap, opens, collector, noPerfFile, BriefJvm.ONE_COMPILER)
                : List.of(heap, opens, collector, noPerfFile);
    }
}
