// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.failure.CommandException;
import io.spillway.lab.hosts.HostPlan;
import io.spillway.lab.process.CommandOwner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * What is written down of a cluster, so that later commands find it, and stop it after a crash.
 *
 * @param id the mark of its processes
 * @param spec what was asked for
 * @param size how big its nodes are
 * @param ports where it listens
 * @param plugInJar Spillway's jar, as it was when the cluster was started
 * @param hosts the emulated hosts, or null
 * @param owner the command that the cluster ends with, or null where it is to outlive it
 */
record ClusterState(
        String id,
        ClusterSpec spec,
        ClusterSize size,
        ClusterPorts ports,
        String plugInJar,
        HostPlan hosts,
        CommandOwner owner) {
    private static final String FILE = "cluster.json";
    private static final String LOCALHOST = "localhost";

    /** All of 127.0.0.0/8 is this machine; some hosts give the first few a name. */
    private static final String LOOPBACK = "127.0.0.";

    private static final int FIRST_LOOPBACK = 11;

    /** The same, which ends when it is stopped. */
    ClusterState withoutOwner() {
        return new ClusterState(id, spec, size, ports, plugInJar, hosts, null);
    }

    /** The host of the daemons there is one of. */
    String masterHost() {
        return hosts == null ? LOCALHOST : HostPlan.MASTER;
    }

    /** The host that a NodeManager says it is. */
    String host(final int node) {
        return switch (spec.hosts()) {
            case SHARED -> LOCALHOST;
            case LOOPBACK -> LOOPBACK + (FIRST_LOOPBACK + node);
            case EMULATED -> hosts.host(node);
        };
    }

    /** The host of a memory node: behind those of the NodeManagers, where they are emulated. */
    String memoryHost(final int index) {
        return hosts == null ? LOCALHOST : hosts.host(spec.nodes() + index);
    }

    /** The first of the hosts that only keep data of a distributed file system, from 0. */
    int firstDataServer() {
        return spec.nodes() + spec.memory().count();
    }

    /** The address of web pages of a daemon there is one of. */
    URI masterPages(final int port) {
        return URI.create("http://" + masterHost() + ":" + port);
    }

    /** The address of a NodeManager's web pages. */
    URI nodePages(final int node) {
        final String host = hosts == null ? LOCALHOST : host(node);
        return URI.create("http://" + host + ":" + ports.nodes().get(node).web());
    }

    void write(final Path folder) throws IOException {
        final Path partial = folder.resolve(FILE + ".partial");
        Files.createDirectories(folder);
        new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(partial.toFile(), this);
        Files.move(
                partial,
                folder.resolve(FILE),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
    }

    static Optional<ClusterState> read(final Path folder) {
        final Path file = folder.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            final ObjectMapper mapper =
                    new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
            return Optional.of(mapper.readValue(file.toFile(), ClusterState.class));
        } catch (final IOException e) {
            throw new CommandException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
