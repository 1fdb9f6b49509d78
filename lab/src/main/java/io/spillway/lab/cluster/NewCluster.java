// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.hosts.HostPlan;
import io.spillway.lab.hosts.HostSupport;
import io.spillway.lab.moosefs.MooseFs;
import io.spillway.lab.process.CommandOwner;
import io.spillway.lab.process.MarkedProcesses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/** What comes before the start of a cluster: whether it can be here, and what it will be. */
final class NewCluster {
    private NewCluster() {}

    /**
     * Checks the host and the name, and ends what killed commands have left.
     *
     * @throws BadInputException when there can be no such cluster
     */
    static void check(final WorkFolder work, final ClusterSpec spec) {
        checkHost(work);
        if (spec.emulatesHosts()) {
            HostSupport.ofThisMachine().require(spec.link());
        }
        checkSharedDirectory(spec.sharedDirectory());
        if (spec.hasWorld()) {
            ClusterWorld.mpirun(spec);
        }
        LeftClusters.stop(work);
        requireNone(work, spec.name());
    }

    private static void checkSharedDirectory(final SharedDirectory directory) {
        switch (directory.kind()) {
            case NONE -> {}
            case DISTRIBUTED -> MooseFs.require(System.getenv().getOrDefault("PATH", ""));
            case EXISTING -> {
                if (!Files.isWritable(Path.of(directory.path()))) {
                    throw new BadInputException(
                            SharedDirectory.OPTION
                                    + " "
                                    + directory.path()
                                    + ": expected a directory that this user may write to");
                }
            }
        }
    }

    private static void checkHost(final WorkFolder work) {
        if (!MarkedProcesses.supported()) {
            throw new BadInputException("a local cluster needs Linux (it reads /proc)");
        }
        if (!work.root().toString().matches("[A-Za-z0-9/._+=@~-]+")) {
            throw new BadInputException(
                    "work folder "
                            + work.root()
                            + ": Hadoop's class paths need one of letters, digits and ._+=@~- only;"
                            + " give another with --work");
        }
        try {
            InetAddress.getLocalHost();
        } catch (final UnknownHostException e) {
            throw new BadInputException(
                    "this host's own name does not resolve ("
                            + e.getMessage()
                            + "), and Hadoop's tasks need it: add it to /etc/hosts as 127.0.0.1");
        }
    }

    private static void requireNone(final WorkFolder work, final String name) {
        final Optional<ClusterState> old = ClusterState.read(work.cluster(name));
        if (old.isPresent() && !MarkedProcesses.find(old.get().id()).isEmpty()) {
            throw new BadInputException(
                    "cluster "
                            + name
                            + " runs already; stop it with: spillway cluster stop --name "
                            + name);
        }
        try {
            WorkFolder.deleteTree(work.cluster(name)); // what a crash has left
        } catch (final IOException e) {
            throw new CommandException("cannot clear " + work.cluster(name) + ": " + e, e);
        }
    }

    /** What is written down of it. */
    static ClusterState state(final ClusterSpec spec) {
        final ClusterSize size =
                ClusterSize.of(
                        Runtime.getRuntime().availableProcessors(),
                        ClusterSize.machineMemoryMb(),
                        spec.nodes(),
                        spec.slots(),
                        spec.heapMb());
        final ClusterPorts ports =
                ClusterPorts.pick(new Ports(new Random()), spec.nodes(), spec.memory().count());
        final PlugIn plugIn = PlugIn.ofThisBuild();
        return new ClusterState(
                UUID.randomUUID().toString(),
                spec,
                size,
                ports,
                plugIn.engine().toString(),
                spec.emulatesHosts()
                        ? HostPlan.of(spec.hostCount(), ProcessHandle.current().pid())
                        : null,
                CommandOwner.ofThisProcess());
    }
}
