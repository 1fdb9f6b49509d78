// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.process;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Finds the processes of a cluster by a variable in their environment, which daemons inherit to the
 * containers they start. So nothing is lost when a NodeManager or the command itself was killed,
 * and no process id that now belongs to somebody else is ever taken for ours.
 */
public final class MarkedProcesses {
    /** The variable that holds the cluster's id. */
    public static final String VARIABLE = "SPILLWAY_CLUSTER_ID";

    private static final Path PROC = Path.of("/proc");
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private MarkedProcesses() {}

    /** Whether this host lets us find processes at all. */
    public static boolean supported() {
        return Files.isReadable(PROC.resolve("self/environ"));
    }

    /** All living processes of the cluster, without the calling one. */
    public static List<ProcessHandle> find(final String clusterId) {
        final long self = ProcessHandle.current().pid();
        return ProcessHandle.allProcesses()
                .filter(process -> process.pid() != self && isMarked(process.pid(), clusterId))
                .toList();
    }

    /** Whether a process is alive and belongs to the cluster. */
    public static boolean isMarked(final long pid, final String clusterId) {
        final byte[] environment;
        try {
            environment = Files.readAllBytes(PROC.resolve(pid + "/environ"));
        } catch (final IOException e) {
            return false; // gone, or another user's
        }
        final String mark = VARIABLE + "=" + clusterId;
        return List.of(new String(environment, StandardCharsets.ISO_8859_1).split("\0", -1))
                .contains(mark);
    }

    /** Kills all processes of the cluster, and those they start meanwhile, and waits for it. */
    public static void killAll(final String clusterId) {
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        List<ProcessHandle> left = find(clusterId);
        while (!left.isEmpty()) {
            left.forEach(ProcessHandle::destroyForcibly);
            if (System.nanoTime() > deadline) {
                throw new CommandException(
                        "processes do not end: "
                                + left.stream().map(process -> process.pid() + "").toList());
            }
            pause();
            left = find(clusterId);
        }
    }

    /** Kills the containers of one node: their working directory lies in the node's folder. */
    public static void killContainers(final String clusterId, final Path nodeFolder) {
        for (final ProcessHandle process : find(clusterId)) {
            if (workingFolder(process.pid()).startsWith(nodeFolder)) {
                process.destroyForcibly();
            }
        }
    }

    private static Path workingFolder(final long pid) {
        try {
            return Files.readSymbolicLink(PROC.resolve(pid + "/cwd"));
        } catch (final IOException e) {
            return PROC; // gone
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted while processes end", e);
        }
    }
}
