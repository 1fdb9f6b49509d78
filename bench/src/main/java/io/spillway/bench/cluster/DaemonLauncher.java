package io.spillway.bench.cluster;

import io.spillway.bench.BenchException;
import io.spillway.bench.cluster.ClusterSpec.Handler;
import io.spillway.bench.site.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Starts and finds the daemons of one cluster. */
final class DaemonLauncher {
    /** The longest wait for an end: a NodeManager that has to end stops its containers first. */
    private static final int PATIENCE_SECONDS = 180;

    private final ClusterState state;
    private final Path folder;
    private final List<String> hadoop;
    private final Path masterConf;
    private final IntFunction<Path> nodeConf;
    private boolean refused;

    DaemonLauncher(
            final ClusterState state,
            final Path folder,
            final List<String> hadoop,
            final Path masterConf,
            final IntFunction<Path> nodeConf) {
        this.state = state;
        this.folder = folder;
        this.hadoop = hadoop;
        this.masterConf = masterConf;
        this.nodeConf = nodeConf;
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
        return start(role.label(), List.of(), role, masterConf, List.of(), List.of());
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
        return start(
                nodeName(node),
                prefix,
                DaemonRole.NODE_MANAGER,
                nodeConf.apply(node),
                jars,
                List.of());
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

    private void runToEnd(final String name, final DaemonRole role, final List<String> arguments) {
        final DaemonProcess process =
                start(name, List.of(), role, masterConf, List.of(), arguments);
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
            throw new BenchException("interrupted", e);
        }
    }

    private synchronized DaemonProcess start(
            final String name,
            final List<String> prefix,
            final DaemonRole role,
            final Path conf,
            final List<String> jars,
            final List<String> arguments) {
        if (refused) {
            throw new BenchException("the cluster is being stopped");
        }
        final List<String> classPath = new ArrayList<>();
        classPath.add(conf.toString());
        classPath.addAll(hadoop);
        classPath.addAll(jars);
        final Map<String, String> environment =
                Map.of(
                        MarkedProcesses.VARIABLE,
                        state.id(),
                        "JAVA_HOME",
                        JavaCommand.home().toString(),
                        "HADOOP_CONF_DIR",
                        conf.toString());
        final DaemonProcess daemon =
                DaemonProcess.start(
                        name, prefix, role, temporary(), classPath, environment, logs(), arguments);
        remember(name, daemon.process().pid());
        return daemon;
    }

    /** Killed daemons leave files behind: not in the folder that all programs share. */
    Path temporary() {
        return folder.resolve("tmp/java");
    }

    Path logs() {
        return folder.resolve("logs");
    }

    private void remember(final String name, final long pid) {
        try {
            Files.createDirectories(folder.resolve("run"));
            Files.writeString(pidFile(name), String.valueOf(pid));
        } catch (final IOException e) {
            throw new BenchException("cannot write " + pidFile(name) + ": " + e, e);
        }
    }

    private Path pidFile(final String name) {
        return folder.resolve("run").resolve(name + ".pid");
    }

    /** The process id of a daemon, if it is alive: a stale file counts for nothing. */
    Optional<Long> pid(final String name) {
        if (!Files.isRegularFile(pidFile(name))) {
            return Optional.empty();
        }
        try {
            return Optional.of(Long.parseLong(Files.readString(pidFile(name)).trim()))
                    .filter(pid -> MarkedProcesses.isMarked(pid, state.id()));
        } catch (final IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Kills a daemon and waits for its end. */
    void kill(final String name) {
        final long pid = pid(name).orElseThrow(() -> new BenchException(name + " does not run"));
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
            throw new BenchException("interrupted", e);
        } catch (final ExecutionException | TimeoutException e) {
            throw new BenchException(name + " does not end", e);
        }
    }
}
