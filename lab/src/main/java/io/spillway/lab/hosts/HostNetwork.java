// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import io.spillway.cli.failure.CommandException;
import io.spillway.lab.process.PidFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Emulated hosts: each has namespaces of its own for its network, name, mounts and shared memory,
 * and a link to a bridge, which lies in the master's namespace. Nothing of it has a name on the
 * machine: a host is held by a process that sleeps in it, and ends with its last process, with its
 * interfaces, mounts and shared memory. Thread-safe.
 */
public final class HostNetwork {
    /** The interface of each host but the master. */
    public static final String INTERFACE = "eth0";

    /** Where a host keeps shared memory, which no other host sees. */
    public static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private static final String BRIDGE = "br0";
    private static final String READY = "ready";

    /**
     * Sets a host up from inside, and holds it: $0 is its name, $1 stands for /etc/hosts, $2 is an
     * empty folder, $3 the MiB of its shared memory. What /sys tells of the network is the network
     * of the one who mounts it; control groups stay as they are.
     */
    private static final String KEEPER =
            """
            echo "$0" >/proc/sys/kernel/hostname
            ip link set lo up
            mount --bind "$1" /etc/hosts
            if [ -d /dev/shm ]; then mount -t tmpfs -o "mode=1777,size=$3m" tmpfs /dev/shm; fi
            if [ -d /sys/fs/cgroup ]; then mount --rbind /sys/fs/cgroup "$2"; fi
            mount -t sysfs sysfs /sys
            if [ -d /sys/fs/cgroup ]; then mount --move "$2" /sys/fs/cgroup; fi
            echo ready
            exec sleep infinity
            """;

    private final HostPlan plan;
    private final HostLink link;
    private final Path folder;
    private final Map<String, String> environment;
    private final PidFiles processes;
    private boolean refused;

    /**
     * Hosts that are there, or that {@link #create} makes.
     *
     * @param folder for what they need while they start
     * @param environment added to that of the processes that hold them, so that they are found
     * @param processes remembers those
     */
    public HostNetwork(
            final HostPlan plan,
            final HostLink link,
            final Path folder,
            final Map<String, String> environment,
            final PidFiles processes) {
        this.plan = plan;
        this.link = link;
        this.folder = folder;
        this.environment = Map.copyOf(environment);
        this.processes = processes;
    }

    /** Makes nothing from now on: all is being stopped, perhaps by another thread. */
    public synchronized void refuse() {
        refused = true;
    }

    /**
     * Makes all hosts and their links.
     *
     * @param memoryMb of the machine; the hosts share half of it for their shared memory, as the
     *     machine itself would have
     * @throws CommandException that says what failed; what is there by then ends with its processes
     */
    public void create(final long memoryMb) {
        final long each = Math.max(1, memoryMb / 2 / plan.hosts());
        try {
            Files.createDirectories(folder.resolve("empty"));
            Files.writeString(folder.resolve("hosts"), plan.hostsFile());
            final List<Process> keepers = new ArrayList<>();
            keepers.add(startKeeper(HostPlan.MASTER, each));
            for (int host = 0; host < plan.hosts(); host++) {
                keepers.add(startKeeper(plan.host(host), each));
            }
            for (final Process keeper : keepers) {
                awaitReady(keeper);
            }
        } catch (final IOException e) {
            throw new CommandException("cannot make hosts: " + e.getMessage(), e);
        }
        connectMaster();
        IntStream.range(0, plan.hosts()).forEach(this::connect);
        if (link.shaped()) {
            shape();
        }
    }

    /** In a session of its own: Ctrl-C ends the command, which then ends the hosts. */
    private synchronized Process startKeeper(final String name, final long memoryMb)
            throws IOException {
        if (refused) {
            throw new CommandException("the cluster is being stopped");
        }
        final List<String> command = new ArrayList<>();
        command.addAll(List.of("setsid", "unshare", "--mount", "--net", "--uts", "--ipc"));
        command.addAll(List.of("--propagation", "slave", "sh", "-ec", KEEPER, name));
        command.add(folder.resolve("hosts").toString());
        command.add(folder.resolve("empty").toString());
        command.add(String.valueOf(memoryMb));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        final Process keeper = builder.start();
        processes.remember(name, keeper.pid());
        return keeper;
    }

    private static void awaitReady(final Process keeper) throws IOException {
        try (BufferedReader output = keeper.inputReader(StandardCharsets.UTF_8)) {
            final List<String> lines = new ArrayList<>();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.equals(READY)) {
                    return;
                }
                lines.add(line);
            }
            throw new CommandException("cannot make a host: " + String.join("; ", lines));
        }
    }

    private void connectMaster() {
        final StringBuilder batch = new StringBuilder();
        batch.append("link add ").append(BRIDGE).append(" type bridge\n");
        batch.append("addr add ").append(plan.masterAddress());
        batch.append('/').append(HostPlan.PREFIX_BITS).append(" dev ").append(BRIDGE).append('\n');
        batch.append("link set ").append(BRIDGE).append(" up\n");
        for (int host = 0; host < plan.hosts(); host++) {
            batch.append("link add ").append(port(host)).append(" type veth peer name ");
            batch.append(INTERFACE).append(" netns ").append(keeper(plan.host(host)));
            batch.append("\nlink set ").append(port(host)).append(" master ").append(BRIDGE);
            batch.append(" up\n");
        }
        SystemCommand.run(inNetworkOf(HostPlan.MASTER, "ip", "-batch", "-"), batch.toString());
    }

    private void connect(final int host) {
        final String batch =
                "addr add "
                        + plan.address(host)
                        + "/"
                        + HostPlan.PREFIX_BITS
                        + " dev "
                        + INTERFACE
                        + "\nlink set "
                        + INTERFACE
                        + " up\n";
        SystemCommand.run(inNetworkOf(plan.host(host), "ip", "-batch", "-"), batch);
    }

    /** What a host sends is slowed on its own side, what it receives on the bridge's. */
    private void shape() {
        final StringBuilder ports = new StringBuilder();
        for (int host = 0; host < plan.hosts(); host++) {
            ports.append(shaping(port(host), link.rate()));
            SystemCommand.run(
                    inNetworkOf(plan.host(host), "tc", "-batch", "-"),
                    shaping(INTERFACE, link.sending()));
        }
        SystemCommand.run(inNetworkOf(HostPlan.MASTER, "tc", "-batch", "-"), ports.toString());
    }

    private static String shaping(final String device, final List<String> kind) {
        return "qdisc add dev " + device + " root " + String.join(" ", kind) + "\n";
    }

    /** The bridge's side of a host's link. */
    private static String port(final int host) {
        return "port" + (host + 1);
    }

    private long keeper(final String host) {
        return processes
                .pid(host)
                .orElseThrow(() -> new CommandException("the emulated host " + host + " is gone"));
    }

    private List<String> inNetworkOf(final String host, final String... command) {
        final List<String> all = new ArrayList<>();
        all.addAll(List.of("nsenter", "-t", String.valueOf(keeper(host)), "--net", "--"));
        all.addAll(List.of(command));
        return all;
    }

    /**
     * What goes before a command that is to run on a host, in the folder that this process runs in.
     *
     * @param host its name
     * @throws CommandException when it is gone
     */
    public List<String> on(final String host) {
        return List.of(
                "nsenter",
                "-t",
                String.valueOf(keeper(host)),
                "--mount",
                "--net",
                "--uts",
                "--ipc",
                "--",
                "sh",
                "-c",
                "cd \"$0\" && exec \"$@\"",
                Path.of("").toAbsolutePath().toString());
    }
}
