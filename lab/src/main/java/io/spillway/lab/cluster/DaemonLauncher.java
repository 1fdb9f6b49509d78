// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.JavaCommand;
import io.spillway.lab.cluster.ClusterSpec.Handler;
import io.spillway.lab.cluster.daemon.DaemonCommand;
import io.spillway.lab.cluster.daemon.DaemonLog;
import io.spillway.lab.cluster.daemon.DaemonProcess;
import io.spillway.lab.cluster.daemon.DaemonRole;
import io.spillway.lab.hosts.SystemCommand;
import io.spillway.lab.mpi.Mpirun;
import io.spillway.lab.mpi.RankScripts;
import io.spillway.lab.process.MarkedProcesses;
import io.spillway.lab.process.PidFiles;
import io.spillway.node.launch.NodeCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Starts and finds the daemons of one cluster. */
final class DaemonLauncher {
    /** The longest wait for an end: a NodeManager that has to end stops its containers first. */
    private static final int PATIENCE_SECONDS = 180;

    private final ClusterState state;
    private final Path folder;
    private final List<String> hadoop;
    private final Path masterConf;
    private final IntFunction<Path> nodeConf;
    private final PidFiles pids;
    private final Function<String, List<String>> onHost;
    private boolean refused;

    /**
     * Prepares the daemons of a cluster.
     *
     * @param onHost what goes before a command that is to run on a host of this name
     */
    DaemonLauncher(
            final ClusterState state,
            final Path folder,
            final List<String> hadoop,
            final Path masterConf,
            final IntFunction<Path> nodeConf,
            final PidFiles pids,
            final Function<String, List<String>> onHost) {
        this.state = state;
        this.folder = folder;
        this.hadoop = hadoop;
        this.masterConf = masterConf;
        this.nodeConf = nodeConf;
        this.pids = pids;
        this.onHost = onHost;
    }

    /** Starts nothing from now on: the cluster is being stopped, perhaps by another thread. */
    synchronized void refuse() {
        refused = true;
    }

    static String nodeName(final int node) {
        return DaemonRole.NODE_MANAGER.label() + "-" + node;
    }

    /** Starts a daemon there is one of. */
    DaemonProcess startMaster(final DaemonRole role) {
        return start(role.label(), onMaster(), masterConf, plain(role, List.of()));
    }

    /** Starts one NodeManager; a stock one does not even see our jar. */
    DaemonProcess startNode(final int node) {
        return startNode(node, List.of());
    }

    /** The same, with words before its command. */
    DaemonProcess startNode(final int node, final List<String> prefix) {
        final List<String> jars =
                state.spec().handlerOf(node) == Handler.SPILLWAY
                        ? List.of(state.plugInJar())
                        : List.of();
        final List<String> words = new ArrayList<>(onHost.apply(state.host(node)));
        words.addAll(prefix);
        final Path conf = nodeConf.apply(node);
        return start(
                nodeName(node),
                words,
                conf,
                command(DaemonRole.NODE_MANAGER, conf, jars, List.of(), List.of()));
    }

    static String memoryNodeName(final int index) {
        return DaemonRole.MEMORY_NODE.label() + "-" + index;
    }

    /**
     * Starts a memory node.
     *
     * @param settings of it
     */
    DaemonProcess startMemoryNode(final int index, final Map<String, String> settings) {
        return start(
                memoryNodeName(index),
                onHost.apply(state.memoryHost(index)),
                masterConf,
                nodeProcess(masterConf, settings));
    }

    /**
     * Starts the ranks of an MPI world.
     *
     * @return its launcher; the ranks' own logs are its parts
     */
    DaemonProcess startWorld(final Mpirun mpirun, final List<ClusterWorld.Rank> ranks) {
        final RankScripts scripts = new RankScripts(folder.resolve("run"));
        try {
            final List<String> rank = scripts.write(ranks.stream().map(this::script).toList());
            final List<String> line = new ArrayList<>(onMaster());
            line.addAll(
                    state.hosts() == null
                            ? mpirun.line(ranks.size(), rank)
                            : mpirun.line(hosts(ranks), scripts.writeAgent(agents(ranks)), rank));
            final Map<String, String> environment = new TreeMap<>(environment(masterConf));
            environment.putAll(mpirun.environment());
            final List<DaemonLog> logs = ranks.stream().map(each -> log(each.name())).toList();
            return start(ClusterWorld.NAME, logs, line, environment);
        } catch (final IOException e) {
            throw new CommandException("cannot start the MPI world: " + e, e);
        }
    }

    private RankScripts.Rank script(final ClusterWorld.Rank rank) {
        return new RankScripts.Rank(
                nodeProcess(rank.conf(), rank.settings()).line(temporary()),
                log(rank.name()).file(),
                pids.file(rank.name()));
    }

    private static List<String> hosts(final List<ClusterWorld.Rank> ranks) {
        return ranks.stream().map(ClusterWorld.Rank::host).toList();
    }

    private Map<String, List<String>> agents(final List<ClusterWorld.Rank> ranks) {
        return hosts(ranks).stream().collect(Collectors.toMap(host -> host, onHost));
    }

    /**
     * Starts a daemon that is none of Hadoop's. It may write over its own environment, by which
     * processes of a cluster are found: a process that keeps its own has it for a child, and takes
     * it along when it is killed.
     */
    DaemonProcess startOther(final String name, final String host, final List<String> command) {
        final List<String> line = new ArrayList<>(onHost.apply(host));
        line.addAll(List.of("unshare", "--kill-child", "--"));
        line.addAll(command);
        return start(name, List.of(), line, Map.of(MarkedProcesses.VARIABLE, state.id()));
    }

    /**
     * Sends a signal to a daemon that {@link #startOther} has started.
     *
     * @param signal its name, as kill knows it
     */
    void signalOther(final String name, final String signal) {
        final long daemon =
                pid(name)
                        .flatMap(ProcessHandle::of)
                        .flatMap(parent -> parent.children().findFirst())
                        .orElseThrow(() -> new CommandException(name + " does not run"))
                        .pid();
        SystemCommand.run(List.of("sh", "-c", "kill -" + signal + " " + daemon), "");
    }

    /** Kills a daemon that {@link #startOther} has started, and waits for all its processes. */
    void killOther(final String name) {
        final List<ProcessHandle> all =
                pid(name).flatMap(ProcessHandle::of).stream()
                        .flatMap(ProcessHandle::descendants)
                        .toList();
        kill(name);
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(process -> awaitEnd(name, process));
    }

    /** Makes the NameNode's files and waits for it. */
    void formatNameNode() {
        runToEnd(
                "namenode-format",
                DaemonRole.NAME_NODE,
                List.of("-format", "-nonInteractive", "-force"));
    }

    /** Has the ResourceManager read its list of hosts again, and waits for it. */
    void refreshNodes() {
        runToEnd("refresh-nodes", DaemonRole.ADMIN, List.of("-refreshNodes"));
    }

    /** Has the ResourceManager end an application, and waits until it has. */
    void killApplication(final String application) {
        runToEnd(
                "kill-" + application,
                DaemonRole.APPLICATIONS,
                List.of(DaemonRole.APPLICATIONS.label(), "-kill", application));
    }

    private void runToEnd(final String name, final DaemonRole role, final List<String> arguments) {
        final DaemonProcess process = start(name, onMaster(), masterConf, plain(role, arguments));
        try {
            if (!process.process().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.process().destroyForcibly();
                throw process.failure("did not end in " + PATIENCE_SECONDS + " s");
            }
            if (process.process().exitValue() != 0) {
                throw process.failure("failed");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }

    private DaemonProcess start(
            final String name,
            final List<String> prefix,
            final Path conf,
            final DaemonCommand command) {
        final List<String> line = new ArrayList<>(prefix);
        line.addAll(command.line(temporary()));
        return start(name, List.of(), line, environment(conf));
    }

    private synchronized DaemonProcess start(
            final String name,
            final List<DaemonLog> parts,
            final List<String> line,
            final Map<String, String> environment) {
        if (refused) {
            throw new CommandException("the cluster is being stopped");
        }
        final DaemonProcess daemon = DaemonProcess.start(log(name), parts, line, environment);
        pids.remember(name, daemon.process().pid());
        return daemon;
    }

    /** One of Hadoop's, without our jar. */
    private DaemonCommand plain(final DaemonRole role, final List<String> arguments) {
        return command(role, masterConf, List.of(), List.of(), arguments);
    }

    private DaemonCommand nodeProcess(final Path conf, final Map<String, String> settings) {
        final NodeCommand command = NodeCommand.of("", settings::get, settings);
        return command(
                DaemonRole.MEMORY_NODE,
                conf,
                List.of(state.plugInJar()),
                command.options(),
                command.arguments());
    }

    private DaemonCommand command(
            final DaemonRole role,
            final Path conf,
            final List<String> jars,
            final List<String> options,
            final List<String> arguments) {
        final List<String> classPath = new ArrayList<>();
        classPath.add(conf.toString());
        classPath.addAll(hadoop);
        classPath.addAll(jars);
        return new DaemonCommand(role, options, classPath, arguments);
    }

    private Map<String, String> environment(final Path conf) {
        return Map.of(
                MarkedProcesses.VARIABLE,
                state.id(),
                "JAVA_HOME",
                JavaCommand.home().toString(),
                "HADOOP_CONF_DIR",
                conf.toString());
    }

    private DaemonLog log(final String name) {
        return new DaemonLog(name, logs().resolve(name + ".log"));
    }

    /** Killed daemons leave files behind: not in the folder that all programs share. */
    Path temporary() {
        return folder.resolve("tmp/java");
    }

    Path logs() {
        return folder.resolve("logs");
    }

    private List<String> onMaster() {
        return onHost.apply(state.masterHost());
    }

    /** The process id of a daemon, if it is alive. */
    Optional<Long> pid(final String name) {
        return pids.pid(name);
    }

    /** Kills a daemon and waits for its end. */
    void kill(final String name) {
        final long pid = pid(name).orElseThrow(() -> new CommandException(name + " does not run"));
        final Optional<ProcessHandle> process = ProcessHandle.of(pid);
        process.ifPresent(ProcessHandle::destroyForcibly);
        process.ifPresent(killed -> awaitEnd(name, killed));
    }

    /** Waits for the end of a daemon that was told to end. */
    void awaitEnd(final String name) {
        pid(name).flatMap(ProcessHandle::of).ifPresent(process -> awaitEnd(name, process));
    }

    private static void awaitEnd(final String name, final ProcessHandle process) {
        try {
            process.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        } catch (final ExecutionException | TimeoutException e) {
            throw new CommandException(name + " does not end", e);
        }
    }
}
