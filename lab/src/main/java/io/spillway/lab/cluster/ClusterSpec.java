// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.hosts.HostPlan;
import io.spillway.lab.mpi.Mpirun;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * What a local cluster should be. Immutable.
 *
 * @param name tells clusters on one machine apart
 * @param hadoopVersion the release of every daemon, client and task
 * @param fileSystem where data lies
 * @param nodes number of NodeManagers
 * @param handler the shuffle handler of the NodeManagers
 * @param stockNodes how many of the NodeManagers, the first ones, have the stock handler anyway
 * @param slots tasks at a time in all; 0 takes two a core
 * @param heapMb a task's heap
 * @param hosts what hosts the NodeManagers are on
 * @param link of each emulated host
 * @param memory for map outputs beside the NodeManagers' tiers
 * @param mpirun starts the node processes as ranks of one MPI world: a command, {@link Mpirun#ANY}
 *     or {@link #NO_WORLD}
 * @param sharedDirectory of all hosts, for what is between map and reduce
 * @param properties more properties, for daemons and clients alike
 */
public record ClusterSpec(
        String name,
        String hadoopVersion,
        FileSystemKind fileSystem,
        int nodes,
        Handler handler,
        int stockNodes,
        int slots,
        int heapMb,
        Hosts hosts,
        HostLink link,
        ClusterMemoryNodes memory,
        String mpirun,
        SharedDirectory sharedDirectory,
        Map<String, String> properties) {
    /** In place of a launcher: node processes are no ranks. */
    public static final String NO_WORLD = "none";

    /** The name of the cluster that commands use where none is given. */
    public static final String DEFAULT_NAME = "default";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,39}");
    private static final int MOST_NODES = HostPlan.MOST_HOSTS;
    private static final int LEAST_HEAP_MB = 256;

    /** Where the data of jobs lies. */
    public enum FileSystemKind {
        /** {@code file:///}: a folder all nodes share, as a parallel file system is mounted. */
        LOCAL,
        /** An HDFS with one NameNode and one DataNode. */
        HDFS
    }

    /** What hosts the NodeManagers are on. */
    public enum Hosts {
        /** All on this machine, at localhost. */
        SHARED,
        /** Each at a loopback address of its own: what knows hosts, not ports, takes it for one. */
        LOOPBACK,
        /** Each in a network namespace of its own, with a name, an address and a link. */
        EMULATED
    }

    /** Who answers the service {@code mapreduce_shuffle}. */
    public enum Handler {
        /** Hadoop's own ShuffleHandler, with no jar of ours on the NodeManagers' class path. */
        STOCK("stock"),
        /** SpillwayShuffleHandler, which serves stock clients as well. */
        SPILLWAY("spillway");

        private final String label;

        Handler(final String label) {
            this.label = label;
        }

        /** Its name on the command line. */
        public String label() {
            return label;
        }
    }

    /** Checks every value. */
    public ClusterSpec {
        Objects.requireNonNull(hadoopVersion);
        Objects.requireNonNull(fileSystem);
        Objects.requireNonNull(handler);
        // An earlier build wrote none of them of a cluster that may still run.
        hosts = Objects.requireNonNullElse(hosts, Hosts.SHARED);
        link = Objects.requireNonNullElse(link, HostLink.NONE);
        memory = Objects.requireNonNullElse(memory, ClusterMemoryNodes.NONE);
        mpirun = Objects.requireNonNullElse(mpirun, NO_WORLD);
        sharedDirectory = Objects.requireNonNullElse(sharedDirectory, SharedDirectory.NONE);
        properties = Map.copyOf(properties);
        if (!NAME.matcher(name).matches()) {
            throw new BadInputException(
                    "--name " + name + ": expected letters, digits, - and _, at most 40");
        }
        require(hosts == Hosts.EMULATED ? "--hosts" : "--nodes", nodes, 1, MOST_NODES);
        requireHostsFor(sharedDirectory, hosts);
        require(
                "nodes, memory nodes and data servers",
                nodes * (sharedDirectory.isDistributed() ? 2 : 1) + memory.count(),
                1,
                MOST_NODES);
        require("--stock-nodes", stockNodes, 0, nodes);
        require("--slots", slots, 0, 10_000);
        require("--heap", heapMb, LEAST_HEAP_MB, 1 << 20);
        if (link.shaped() && hosts != Hosts.EMULATED) {
            throw new BadInputException("--link " + link.name() + ": expected --hosts beside it");
        }
    }

    private static void requireHostsFor(final SharedDirectory directory, final Hosts hosts) {
        if (directory.isDistributed() && hosts != Hosts.EMULATED) {
            throw new BadInputException(
                    SharedDirectory.OPTION
                            + ": a distributed file system needs --hosts beside it; expected that,"
                            + " or the directory of one that is mounted");
        }
    }

    private static void require(
            final String option, final int value, final int min, final int max) {
        if (value < min || value > max) {
            throw new BadInputException(option + " " + value + ": expected " + min + " to " + max);
        }
    }

    /** Two nodes of the default release, data on the local file system, Spillway's handler. */
    public static ClusterSpec defaults() {
        return new ClusterSpec(
                DEFAULT_NAME,
                HadoopRuntime.DEFAULT_VERSION,
                FileSystemKind.LOCAL,
                2,
                Handler.SPILLWAY,
                0,
                0,
                ClusterSize.DEFAULT_HEAP_MB,
                Hosts.SHARED,
                HostLink.NONE,
                ClusterMemoryNodes.NONE,
                NO_WORLD,
                SharedDirectory.NONE,
                Map.of());
    }

    /** The same with another name. */
    public ClusterSpec withName(final String value) {
        return with(draft -> draft.name = value);
    }

    /** The same on another release. */
    public ClusterSpec withHadoopVersion(final String value) {
        return with(draft -> draft.hadoopVersion = value);
    }

    /** The same with its data elsewhere. */
    public ClusterSpec withFileSystem(final FileSystemKind value) {
        return with(draft -> draft.fileSystem = value);
    }

    /** The same with another number of NodeManagers. */
    public ClusterSpec withNodes(final int value) {
        return with(draft -> draft.nodes = value);
    }

    /** The same with another shuffle handler on all nodes. */
    public ClusterSpec withHandler(final Handler value) {
        return with(draft -> draft.handler = value);
    }

    /** The same with the stock handler on the first nodes. */
    public ClusterSpec withStockNodes(final int value) {
        return with(draft -> draft.stockNodes = value);
    }

    /** The same with another number of tasks at a time. */
    public ClusterSpec withSlots(final int value) {
        return with(draft -> draft.slots = value);
    }

    /** The same with another heap a task. */
    public ClusterSpec withHeapMb(final int value) {
        return with(draft -> draft.heapMb = value);
    }

    /**
     * The same with each NodeManager on a loopback address of its own: a host like any other to
     * what knows hosts, not ports, as the list of decommissioned ones does.
     */
    public ClusterSpec withOwnHosts() {
        return with(draft -> draft.hosts = Hosts.LOOPBACK);
    }

    /** The same with each of so many NodeManagers on an emulated host with such a link. */
    public ClusterSpec withEmulatedHosts(final int number, final HostLink value) {
        return with(
                draft -> {
                    draft.hosts = Hosts.EMULATED;
                    draft.nodes = number;
                    draft.link = value;
                });
    }

    /** The same with memory nodes. */
    public ClusterSpec withMemory(final ClusterMemoryNodes value) {
        return with(draft -> draft.memory = value);
    }

    /** The same with its node processes as ranks, started by another launcher of MPI. */
    public ClusterSpec withMpirun(final String value) {
        return with(draft -> draft.mpirun = value);
    }

    /** The same with another directory that all hosts share. */
    public ClusterSpec withSharedDirectory(final SharedDirectory value) {
        return with(draft -> draft.sharedDirectory = value);
    }

    /** How many hosts only keep data of a distributed file system: as many as have NodeManagers. */
    int dataServers() {
        return sharedDirectory.isDistributed() ? nodes : 0;
    }

    /** How many hosts there are beside the master. */
    int hostCount() {
        return nodes + memory.count() + dataServers();
    }

    /** Whether its node processes are ranks of an MPI world. */
    public boolean hasWorld() {
        return !mpirun.equals(NO_WORLD);
    }

    /** The same with other links. */
    public ClusterSpec withLink(final HostLink value) {
        return with(draft -> draft.link = value);
    }

    /** Whether Hadoop takes each NodeManager for a host of its own. */
    public boolean hasOwnHosts() {
        return hosts != Hosts.SHARED;
    }

    /** Whether hosts are emulated. */
    public boolean emulatesHosts() {
        return hosts == Hosts.EMULATED;
    }

    /** The same with these properties added. */
    public ClusterSpec withProperties(final Map<String, String> more) {
        final Map<String, String> all = new TreeMap<>(properties);
        all.putAll(more);
        return with(draft -> draft.properties = all);
    }

    private ClusterSpec with(final Consumer<Draft> change) {
        final Draft draft = new Draft(this);
        change.accept(draft);
        return new ClusterSpec(
                draft.name,
                draft.hadoopVersion,
                draft.fileSystem,
                draft.nodes,
                draft.handler,
                draft.stockNodes,
                draft.slots,
                draft.heapMb,
                draft.hosts,
                draft.link,
                draft.memory,
                draft.mpirun,
                draft.sharedDirectory,
                draft.properties);
    }

    /** A specification's values, of which one is about to change. */
    private static final class Draft {
        private String name;
        private String hadoopVersion;
        private FileSystemKind fileSystem;
        private int nodes;
        private Handler handler;
        private int stockNodes;
        private int slots;
        private int heapMb;
        private Hosts hosts;
        private HostLink link;
        private ClusterMemoryNodes memory;
        private String mpirun;
        private SharedDirectory sharedDirectory;
        private Map<String, String> properties;

        Draft(final ClusterSpec spec) {
            name = spec.name;
            hadoopVersion = spec.hadoopVersion;
            fileSystem = spec.fileSystem;
            nodes = spec.nodes;
            handler = spec.handler;
            stockNodes = spec.stockNodes;
            slots = spec.slots;
            heapMb = spec.heapMb;
            hosts = spec.hosts;
            link = spec.link;
            memory = spec.memory;
            mpirun = spec.mpirun;
            sharedDirectory = spec.sharedDirectory;
            properties = spec.properties;
        }
    }

    /** The handler of one NodeManager, counted from 0. */
    Handler handlerOf(final int node) {
        return node < stockNodes ? Handler.STOCK : handler;
    }
}
