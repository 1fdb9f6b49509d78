// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.place;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.SizeConverter;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.lab.cluster.ClusterMemoryNodes;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.cluster.ClusterSpec.FileSystemKind;
import io.spillway.lab.cluster.SharedDirectory;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.mpi.Mpirun;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a cluster should be, where a command starts one. */
public final class ClusterOptions {
    @Option(
            names = "--hadoop",
            paramLabel = "VERSION",
            description = "Hadoop release (default: " + HadoopRuntime.DEFAULT_VERSION + ").")
    private String hadoop;

    @Option(
            names = "--fs",
            paramLabel = "KIND",
            description =
                    "Where data lies: local, a folder that all nodes share as a parallel file"
                            + " system is; or hdfs (default: local).")
    private FileSystemKind fileSystem;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Number of NodeManagers (default: 2).")
    private Integer nodes;

    @Option(
            names = "--hosts",
            paramLabel = "N",
            description =
                    "Emulates N hosts with a NodeManager each, and one more for the other daemons:"
                            + " each a network namespace with a name, an address, shared memory"
                            + " and a link of its own. Needs root (default: plain processes on"
                            + " loopback).")
    private Integer hosts;

    @Option(
            names = "--link",
            paramLabel = "LINK",
            description =
                    "Link of each emulated host but the master: 1g (1 Gbit/s, 100 us from host to"
                            + " host), 10g (10 Gbit/s, 20 us), ib (25 Gbit/s, 2 us, tcp in place"
                            + " of InfiniBand), a rate with or without a delay, as 500mbit or"
                            + " 2gbit+50us; none, as fast as the machine is (default: none).")
    private String link;

    @Option(
            names = "--memory-nodes",
            paramLabel = "N",
            description =
                    "Starts N node processes that only keep map outputs in memory, the first of"
                            + " them the placement service (default: none; one where an engine"
                            + " needs it).")
    private Integer memoryNodes;

    @Option(
            names = "--node-memory",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description =
                    "Memory that each memory node, and the node process of each host, gives to map"
                            + " outputs (default: a sixteenth of this machine's).")
    private Long nodeMemory;

    @Option(
            names = "--shared-fs",
            paramLabel = "DIR",
            arity = "0..1",
            fallbackValue = "",
            description =
                    "Gives all hosts a shared directory, spillway.store.lustre.dir: DIR, on a file"
                            + " system that is mounted; without DIR, a distributed one that the"
                            + " cluster starts: MooseFS, with a client on each of --hosts and"
                            + " data servers on as many more.")
    private String sharedFs;

    @Option(
            names = "--diskless",
            description =
                    "Hosts without a disk: the NodeManagers' local directories lie on --shared-fs,"
                            + " and with them all that Hadoop's own engine keeps between map and"
                            + " reduce.")
    private boolean diskless;

    @Option(
            names = Mpirun.OPTION,
            paramLabel = "NAME",
            description =
                    "Starts the memory nodes and the hosts' node processes as ranks of one MPI"
                            + " world by this launcher, a command or a path; auto takes the first"
                            + " of mpirun.openmpi, mpirun, mpiexec.mpich and mpiexec (default:"
                            + " none; auto where a transport is mpi).")
    private String mpirun;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Tasks at a time in the whole cluster (default: two a core).")
    private Integer slots;

    @Option(
            names = "--heap",
            paramLabel = "MIB",
            description =
                    "Heap of a task in MiB; its container gets half as much again (default: 1024).")
    private Integer heap;

    /** Whether anything was asked for. */
    public boolean isAnyGiven() {
        return hadoop != null
                || fileSystem != null
                || nodes != null
                || hosts != null
                || link != null
                || memoryNodes != null
                || nodeMemory != null
                || sharedFs != null
                || diskless
                || mpirun != null
                || slots != null
                || heap != null;
    }

    public ClusterSpec apply(final ClusterSpec base) {
        if (nodes != null && hosts != null) {
            throw new BadInputException(
                    "--nodes "
                            + nodes
                            + " --hosts "
                            + hosts
                            + ": expected one of them; each host has one NodeManager");
        }
        ClusterSpec spec = base;
        if (hadoop != null) {
            spec = spec.withHadoopVersion(hadoop);
        }
        if (fileSystem != null) {
            spec = spec.withFileSystem(fileSystem);
        }
        if (nodes != null) {
            spec = spec.withNodes(nodes);
        }
        if (hosts != null) {
            spec = spec.withEmulatedHosts(hosts, spec.link());
        }
        if (link != null) {
            spec = spec.withLink(HostLink.parse(link));
        }
        if (memoryNodes != null || nodeMemory != null) {
            spec =
                    spec.withMemory(
                            new ClusterMemoryNodes(
                                    Optional.ofNullable(memoryNodes).orElse(1),
                                    Optional.ofNullable(nodeMemory)
                                            .orElse(ClusterMemoryNodes.DEFAULT_BYTES)));
        }
        if (sharedFs != null) {
            spec = spec.withSharedDirectory(SharedDirectory.of(sharedFs));
        }
        if (diskless) {
            spec = spec.withSharedDirectory(spec.sharedDirectory().withLocalDirs());
        }
        if (mpirun != null) {
            spec = spec.withMpirun(mpirun);
        }
        if (slots != null) {
            spec = spec.withSlots(slots);
        }
        if (heap != null) {
            spec = spec.withHeapMb(heap);
        }
        return spec;
    }
}
