// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.hosts;

import io.spillway.cli.failure.CommandException;
import io.spillway.lab.process.PidFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

    private static final System.Logger LOG = System.getLogger(HostNetwork.class.getName());

    private static final String BRIDGE = "br0";

    /** In place of a discipline that bounds: one that replaces it, with a queue as long. */
    private static final List<String> UNSHAPED = List.of("pfifo", "limit", "1000");

    private static final String READY = "ready";

    /** Of the fields of a line of proc(5)'s mountinfo. */
    private static final int DEVICE = 2;

    private static final int MOUNT_POINT = 4;

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
            IntStream.range(0, plan.hosts()).forEach(host -> setLink(host, link));
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

    /**
     * Gives a host another link: what it sends is slowed on its own side, what it receives on the
     * bridge's.
     *
     * @param host counted from 0
     */
    public void setLink(final int host, final HostLink changed) {
        SystemCommand.run(
                inNetworkOf(plan.host(host), "tc", "-batch", "-"),
                shaping(INTERFACE, changed.shaped() ? changed.sending() : UNSHAPED));
        SystemCommand.run(
                inNetworkOf(HostPlan.MASTER, "tc", "-batch", "-"),
                shaping(port(host), changed.shaped() ? changed.rate() : UNSHAPED));
    }

    private static String shaping(final String device, final List<String> kind) {
        return "qdisc replace dev " + device + " root " + String.join(" ", kind) + "\n";
    }

    /**
     * Takes a host's link down, or up again. Its connections stay, and nothing arrives meanwhile.
     *
     * @param host counted from 0
     */
    public void setUp(final int host, final boolean up) {
        SystemCommand.run(
                inNetworkOf(HostPlan.MASTER, "ip", "link", "set", port(host), up ? "up" : "down"),
                "");
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

    /**
     * The device that is mounted at a path, as a host sees it.
     *
     * @return its minor number; nothing where nothing is mounted there, or the host is gone
     */
    public Optional<String> mountedAt(final String host, final Path path) {
        final Optional<Long> keeper = processes.pid(host);
        if (keeper.isEmpty()) {
            return Optional.empty();
        }
        final Path table = Path.of("/proc", String.valueOf(keeper.get()), "mountinfo");
        try (Stream<String> lines = Files.lines(table)) {
            return lines.map(line -> line.split(" ", -1))
                    .filter(fields -> fields[MOUNT_POINT].equals(path.toString()))
                    .map(fields -> fields[DEVICE].substring(fields[DEVICE].indexOf(':') + 1))
                    .findFirst();
        } catch (final IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the host has ended", e);
            return Optional.empty();
        }
    }

    /** A file of a host, its mounts included, as the machine sees it while the host is there. */
    public Path file(final String host, final Path path) {
        return Path.of("/proc", String.valueOf(keeper(host)), "root" + path.toAbsolutePath());
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
