// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.run.Engine;
import io.spillway.cli.site.ConfFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Hadoop's configuration for an allocation. What differs from host to host stands in it as a
 * variable of the environment, which {@code spillway-hpc-host} sets: so one folder does for all
 * NodeManagers.
 */
final class HpcConf {
    private static final String ADDRESS = "${env.SPILLWAY_HPC_ADDRESS}";
    private static final String LOCAL = "${env.SPILLWAY_HPC_LOCAL}";
    private static final String RANK_SOCKET = LOCAL + "/mpi.sock";
    private static final String LOCAL_DIRS = "${env.SPILLWAY_HPC_LOCAL_DIRS}";

    /** Of files on a shared file system, which has no blocks. */
    private static final String SPLIT_BYTES = String.valueOf(128L << 20);

    /** Hadoop's ten minutes are long for a job of an hour. */
    private static final String NODE_EXPIRY_MILLIS = "60000";

    private final HpcPlan plan;
    private final SessionFolder session;
    private final HostShare share;
    private final List<String> taskClassPath;
    private final Map<String, String> given;

    /**
     * Writes nothing yet.
     *
     * @param taskClassPath of containers
     * @param given the user's, which win
     */
    HpcConf(
            final HpcPlan plan,
            final SessionFolder session,
            final List<String> taskClassPath,
            final Map<String, String> given) {
        this.plan = plan;
        this.session = session;
        this.share = HostShare.of(plan.workers());
        this.taskClassPath = List.copyOf(taskClassPath);
        this.given = Map.copyOf(given);
    }

    /** Writes the files of clients and the master, and those of the nodes. */
    void write() throws IOException {
        writeFolder(session.conf(), core(), yarn());
        final Map<String, String> nodeCore = core();
        nodeCore.put("hadoop.tmp.dir", LOCAL + "/hadoop");
        final Map<String, String> nodeYarn = yarn();
        nodeYarn.putAll(node());
        writeFolder(session.nodeConf(), nodeCore, nodeYarn);
    }

    private void writeFolder(
            final Path folder, final Map<String, String> core, final Map<String, String> yarn)
            throws IOException {
        final Map<String, String> mapred = mapred();
        for (final Map<String, String> file : List.of(core, yarn, mapred)) {
            file.putAll(given);
        }
        ConfFile.write(folder.resolve("core-site.xml"), core);
        ConfFile.write(folder.resolve("yarn-site.xml"), yarn);
        ConfFile.write(folder.resolve("mapred-site.xml"), mapred);
        ConfFile.write(folder.resolve("capacity-scheduler.xml"), scheduler());
        Files.writeString(folder.resolve("log4j.properties"), ConfFile.LOGGING);
    }

    private Map<String, String> core() {
        final Map<String, String> conf = new TreeMap<>();
        conf.put("fs.defaultFS", "file:///");
        conf.put("hadoop.tmp.dir", session.state().resolve("tmp").toString());
        // Tasks share a cached LocalFileSystem with the submitter's working directory otherwise.
        conf.put("fs.file.impl.disable.cache", "true");
        conf.put("fs.local.block.size", SPLIT_BYTES);
        return conf;
    }

    private Map<String, String> mapred() {
        final Map<String, String> conf = new TreeMap<>(Engine.SPILLWAY.jobProperties());
        conf.put("mapreduce.framework.name", "yarn");
        conf.put("mapreduce.application.classpath", String.join(",", taskClassPath));
        conf.put("mapreduce.map.memory.mb", String.valueOf(share.containerMb()));
        conf.put("mapreduce.reduce.memory.mb", String.valueOf(share.containerMb()));
        conf.put("yarn.app.mapreduce.am.resource.mb", String.valueOf(share.masterMb()));
        conf.put("yarn.app.mapreduce.am.command-opts", "-Xmx" + share.masterMb() * 3 / 4 + "m");
        conf.put("yarn.app.mapreduce.am.staging-dir", shared(session.state().resolve("staging")));
        conf.put("mapreduce.jobhistory.address", atMaster(5));
        conf.put("mapreduce.jobhistory.admin.address", atMaster(6));
        conf.put("mapreduce.jobhistory.webapp.address", atMaster(7));
        final Path history = session.history();
        conf.put("mapreduce.jobhistory.intermediate-done-dir", shared(history.resolve("new")));
        conf.put("mapreduce.jobhistory.done-dir", shared(history.resolve("done")));
        // 0 selects any free port: jobs get the number from YARN.
        conf.put("mapreduce.shuffle.port", "0");
        if (plan.isMpi()) {
            conf.put("spillway.transport", "mpi");
            conf.put("spillway.mpi.socket", RANK_SOCKET);
        }
        if (!plan.memoryNodes().isEmpty()) {
            conf.put("spillway.placement.service", placementService());
            conf.put("spillway.placement", "dedicated");
        }
        return conf;
    }

    /** As an address of the file system that all hosts share, whatever the default one is. */
    private static String shared(final Path path) {
        return "file://" + path;
    }

    /** Where the first memory node is asked for places. */
    String placementService() {
        return plan.memoryNodes().get(0).address() + ":" + plan.ports().get(8);
    }

    private Map<String, String> yarn() {
        final Map<String, String> conf = new TreeMap<>();
        conf.put("yarn.resourcemanager.hostname", plan.master().address());
        conf.put("yarn.resourcemanager.address", atMaster(0));
        conf.put("yarn.resourcemanager.scheduler.address", atMaster(1));
        conf.put("yarn.resourcemanager.resource-tracker.address", atMaster(2));
        conf.put("yarn.resourcemanager.admin.address", atMaster(3));
        conf.put("yarn.resourcemanager.webapp.address", atMaster(4));
        conf.put("yarn.nm.liveness-monitor.expiry-interval-ms", NODE_EXPIRY_MILLIS);
        // An ApplicationMaster retries a lost host for so long; Hadoop's default is 3 minutes.
        conf.put("yarn.client.nodemanager-connect.max-wait-ms", "20000");
        conf.put("yarn.scheduler.minimum-allocation-mb", "128");
        conf.put("yarn.scheduler.maximum-allocation-mb", String.valueOf(share.largestMb()));
        conf.put("yarn.scheduler.maximum-allocation-vcores", String.valueOf(share.largestCores()));
        conf.put("yarn.application.classpath", String.join(",", taskClassPath));
        conf.put("yarn.log-aggregation-enable", "false");
        final Path state = session.state().resolve("resource-manager");
        conf.put("yarn.node-attribute.fs-store.root-dir", shared(state.resolve("attribute")));
        conf.put("yarn.node-labels.fs-store.root-dir", shared(state.resolve("labels")));
        return conf;
    }

    private String atMaster(final int port) {
        return plan.master().address() + ":" + plan.ports().get(port);
    }

    /** What NodeManagers have beside. */
    private Map<String, String> node() {
        final Map<String, String> conf = new TreeMap<>();
        conf.put("yarn.nodemanager.hostname", ADDRESS);
        conf.put("yarn.nodemanager.address", ADDRESS + ":0");
        conf.put("yarn.nodemanager.localizer.address", ADDRESS + ":0");
        conf.put("yarn.nodemanager.webapp.address", ADDRESS + ":0");
        conf.put("yarn.nodemanager.aux-services", "mapreduce_shuffle");
        conf.put(
                "yarn.nodemanager.aux-services.mapreduce_shuffle.class",
                "io.spillway.hadoop.SpillwayShuffleHandler");
        conf.put("yarn.nodemanager.resource.memory-mb", "${env.SPILLWAY_HPC_MEMORY_MB}");
        conf.put("yarn.nodemanager.resource.cpu-vcores", "${env.SPILLWAY_HPC_CORES}");
        conf.put("yarn.nodemanager.vmem-check-enabled", "false");
        conf.put("yarn.nodemanager.local-dirs", LOCAL_DIRS);
        conf.put("yarn.nodemanager.log-dirs", LOCAL + "/containers");
        // What a NodeManager that ends waits for its containers, and one second more.
        conf.put("yarn.nodemanager.process-kill-wait.ms", "1000");
        // The hosts copy the logs when they end.
        conf.put("yarn.nodemanager.log.retain-seconds", String.valueOf(30L * 24 * 3600));
        conf.put(
                "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
                "99");
        conf.put(
                "yarn.nodemanager.env-whitelist",
                "JAVA_HOME,PATH,LANG,TZ,SPILLWAY_HPC,SPILLWAY_HPC_LOCAL");
        conf.put("spillway.node.host", ADDRESS);
        conf.put("spillway.node.http.port", "none");
        conf.put("spillway.node.socket", LOCAL + "/node.sock");
        if (plan.isMpi()) {
            conf.put("spillway.mpi.socket", RANK_SOCKET);
        }
        if (!plan.memoryNodes().isEmpty()) {
            // A rank is the host's node process; the MPI world starts it.
            conf.put("spillway.node.launch", String.valueOf(!plan.isMpi()));
            conf.put("spillway.placement.service", placementService());
            conf.put("spillway.placement.secret.file", session.secret().toString());
        }
        return conf;
    }

    private static Map<String, String> scheduler() {
        final Map<String, String> conf = new TreeMap<>();
        conf.put("yarn.scheduler.capacity.root.queues", "default");
        conf.put("yarn.scheduler.capacity.root.default.capacity", "100");
        conf.put("yarn.scheduler.capacity.maximum-am-resource-percent", "0.5");
        // All data is equally far from every host: nothing is worth waiting for.
        conf.put("yarn.scheduler.capacity.node-locality-delay", "-1");
        return conf;
    }

    /** A container of a job needs so much; for messages. */
    HostShare share() {
        return share;
    }
}
