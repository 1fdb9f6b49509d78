// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.lab.cluster.daemon.DaemonProcess;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.hosts.HostNetwork;
import io.spillway.lab.hosts.HostPlan;
import io.spillway.lab.hosts.SystemCommand;
import io.spillway.lab.moosefs.MooseFs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A distributed file system of a cluster of emulated hosts, and what may befall it: MooseFS, with
 * its metadata server on the master, each data server on a host of its own, and a client, with a
 * cache of its own, on every other host. It ends with the cluster's processes. Not thread-safe.
 */
public final class DistributedFs {
    private static final String METADATA_SERVER = "dfs-metadata";

    /** Ends the connection between the kernel and a client; $0 is the mount's device. */
    private static final String ABORT =
            """
            all=/sys/fs/fuse/connections
            [ -e "$all/$0" ] || mount -t fusectl fusectl "$all"
            [ ! -e "$all/$0" ] || echo 1 >"$all/$0/abort"
            """;

    private final ClusterState state;
    private final DaemonLauncher launcher;
    private final HostNetwork hosts;
    private final MooseFs moose;

    /** Waits for something that daemons bring about, and fails when one of them ends. */
    @FunctionalInterface
    interface Waiting {
        void await(List<DaemonProcess> daemons, String what, BooleanSupplier condition);
    }

    DistributedFs(
            final ClusterState state,
            final Path folder,
            final DaemonLauncher launcher,
            final HostNetwork hosts) {
        this.state = state;
        this.launcher = launcher;
        this.hosts = hosts;
        this.moose = new MooseFs(folder(folder), state.hosts().masterAddress());
    }

    private static Path folder(final Path cluster) {
        return cluster.resolve("dfs");
    }

    /** Where each host of a cluster mounts it. */
    static Path mountPoint(final Path cluster) {
        return new MooseFs(folder(cluster), "").mountPoint();
    }

    /** The names of its daemons. */
    static List<String> daemons(final ClusterState state) {
        final List<String> names = new ArrayList<>(List.of(METADATA_SERVER));
        for (int server = 0; server < state.spec().dataServers(); server++) {
            names.add(serverName(server));
        }
        clients(state).forEach(host -> names.add(clientName(host)));
        return names;
    }

    private static String serverName(final int server) {
        return "dfs-data-" + server;
    }

    private static String clientName(final String host) {
        return "dfs-client-" + host;
    }

    /** The hosts that mount it: all that are none of its own. */
    private static List<String> clients(final ClusterState state) {
        final List<String> names = new ArrayList<>(List.of(HostPlan.MASTER));
        for (int host = 0; host < state.firstDataServer(); host++) {
            names.add(state.hosts().host(host));
        }
        return names;
    }

    /** Starts all of it, and waits until each host can write. */
    List<DaemonProcess> start(final Waiting waiting) throws IOException {
        final List<String> addresses = new ArrayList<>();
        for (int server = 0; server < state.spec().dataServers(); server++) {
            addresses.add(state.hosts().address(state.firstDataServer() + server));
        }
        moose.write(addresses);
        final List<DaemonProcess> daemons = new ArrayList<>();
        final DaemonProcess metadata = launchMetadataServer();
        daemons.add(metadata);
        waiting.await(daemons, METADATA_SERVER, () -> metadata.log().has(MooseFs.READY));
        for (int server = 0; server < addresses.size(); server++) {
            final String host = state.hosts().host(state.firstDataServer() + server);
            daemons.add(launcher.startOther(serverName(server), host, moose.dataServer(server)));
        }
        clients(state).forEach(host -> daemons.add(launchClient(host)));
        for (final String host : clients(state)) {
            waiting.await(daemons, clientName(host), () -> isMounted(host));
        }
        waiting.await(daemons, "space on " + moose.mountPoint(), this::hasSpace);
        onMaster(moose.prepare());
        return daemons;
    }

    private DaemonProcess launchMetadataServer() {
        return launcher.startOther(METADATA_SERVER, HostPlan.MASTER, moose.metadataServer());
    }

    private DaemonProcess launchClient(final String host) {
        return launcher.startOther(clientName(host), host, moose.client());
    }

    private boolean isMounted(final String host) {
        return hosts.mountedAt(host, moose.mountPoint()).isPresent();
    }

    private boolean hasSpace() {
        return hosts.file(HostPlan.MASTER, moose.mountPoint()).toFile().getTotalSpace() > 0;
    }

    /**
     * Has every call on every host fail from now on. A client looks at its own mount now and then:
     * one that is killed meanwhile would wait for itself, and never end.
     */
    void abort() {
        clients(state).forEach(this::abort);
    }

    private void abort(final String host) {
        hosts.mountedAt(host, moose.mountPoint())
                .ifPresent(
                        device ->
                                SystemCommand.run(
                                        List.of("unshare", "--mount", "sh", "-c", ABORT, device),
                                        ""));
    }

    /** The directory as the host of a NodeManager sees it, for processes of this machine. */
    public Path seenBy(final int node) {
        return hosts.file(state.host(node), moose.mountPoint());
    }

    /** Has the metadata server stand still: whoever asks it waits, and no connection ends. */
    public void pauseMetadataServer() {
        launcher.signalOther(METADATA_SERVER, "STOP");
    }

    /** Undoes {@link #pauseMetadataServer}. */
    public void resumeMetadataServer() {
        launcher.signalOther(METADATA_SERVER, "CONT");
    }

    /** Kills the metadata server: clients wait until it is there again, for two minutes or more. */
    public void killMetadataServer() {
        launcher.killOther(METADATA_SERVER);
    }

    /** Starts the metadata server again that was killed, and waits until it answers. */
    public void restartMetadataServer() {
        launchMetadataServer();
        onMaster(List.of("stat", moose.mountPoint().toString()));
    }

    /** Kills the client of a NodeManager's host: each call fails there (ENOTCONN). */
    public void killClient(final int node) {
        final String host = state.host(node);
        abort(host);
        launcher.killOther(clientName(host));
    }

    /** Mounts it again on a host whose client was killed. */
    public void restartClient(final int node) {
        final String host = state.host(node);
        on(host, List.of("umount", "--lazy", moose.mountPoint().toString()));
        final DaemonProcess client = launchClient(host);
        while (!isMounted(host)) {
            client.requireAlive();
            Thread.onSpinWait();
        }
    }

    /**
     * Takes the link of a NodeManager's host down, or up again: the file system is as far away as
     * all other hosts.
     */
    public void setLinkUp(final int node, final boolean up) {
        hosts.setUp(node, up);
    }

    /** Gives all data servers another link; that of all other hosts stays. */
    public void setLink(final HostLink link) {
        for (int server = 0; server < state.spec().dataServers(); server++) {
            hosts.setLink(state.firstDataServer() + server, link);
        }
    }

    /** Lets no byte be written any more (EDQUOT), on any host; reads and deletions go on. */
    public void fill() {
        onMaster(moose.fill());
    }

    /** Undoes {@link #fill}. */
    public void makeRoom() {
        onMaster(moose.makeRoom());
    }

    /** Mounts it so that a NodeManager's host can only read (EROFS), or as it was. */
    public void setReadOnly(final int node, final boolean readOnly) {
        final String options = "remount,bind," + (readOnly ? "ro" : "rw");
        on(state.host(node), List.of("mount", "-o", options, moose.mountPoint().toString()));
    }

    private void onMaster(final List<String> command) {
        on(HostPlan.MASTER, command);
    }

    private void on(final String host, final List<String> command) {
        final List<String> line = new ArrayList<>(hosts.on(host));
        line.addAll(command);
        SystemCommand.run(line, "");
    }
}
