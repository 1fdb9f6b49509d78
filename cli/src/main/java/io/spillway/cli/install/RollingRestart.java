// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.Severity;
import io.spillway.cli.doctor.host.HandlerCheck;
import io.spillway.cli.doctor.yarn.ClusterNode;
import io.spillway.cli.doctor.yarn.YarnDoctor;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.ShellWord;
import io.spillway.cli.run.Monitor;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Restarts the NodeManagers of a cluster one by one, and waits for each until it serves. Not
 * thread-safe.
 */
final class RollingRestart {
    /** The command holds it in place of a NodeManager's host. */
    static final String HOST = "{host}";

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final YarnDoctor cluster;
    private final String command;
    private final Duration pause;
    private final Duration patience;
    private final RestartedNodes done;

    /**
     * Creates one.
     *
     * @param command a shell command that restarts one NodeManager, with {@value #HOST} in it
     * @param pause between two NodeManagers
     * @param patience how long one may take to serve again
     * @param done those that were restarted already; each restart adds one
     * @throws BadInputException for a command without {@value #HOST}
     */
    RollingRestart(
            final YarnDoctor cluster,
            final String command,
            final Duration pause,
            final Duration patience,
            final RestartedNodes done) {
        if (!command.contains(HOST)) {
            throw new BadInputException(
                    "--restart '"
                            + command
                            + "': expected "
                            + HOST
                            + " in it, which becomes the host's name");
        }
        this.cluster = cluster;
        this.command = command;
        this.pause = pause;
        this.patience = patience;
        this.done = done;
    }

    /** What {@link #run} would do, a line for each NodeManager. */
    List<String> plan() {
        final List<String> lines = new ArrayList<>(notRunning());
        for (final ClusterNode node : running()) {
            lines.add(node.id() + ": " + (isDone(node) ? "done" : commandFor(node)));
        }
        return lines;
    }

    /** The NodeManagers that are not restarted because they do not run, a line each. */
    List<String> notRunning() {
        return cluster.nodes().stream()
                .filter(node -> !node.isRunning())
                .map(node -> node.id() + ": not restarted, it is " + node.state())
                .sorted()
                .toList();
    }

    private List<ClusterNode> running() {
        return cluster.nodes().stream()
                .filter(ClusterNode::isRunning)
                .sorted(Comparator.comparing(ClusterNode::id))
                .toList();
    }

    private boolean isDone(final ClusterNode node) {
        try {
            return done.has(node.web(), cluster.started(node));
        } catch (final IOException e) {
            return false;
        }
    }

    private String commandFor(final ClusterNode node) {
        return command.replace(HOST, ShellWord.quoted(node.host()));
    }

    /**
     * Restarts all that run and were not restarted already.
     *
     * @return how many it has restarted
     * @throws CommandException where one does not serve again; those after it were not touched
     */
    int run(final Monitor monitor) throws IOException, InterruptedException {
        final List<ClusterNode> running = running();
        int restarted = 0;
        try (Monitor.Task task = monitor.begin("restart", running.size())) {
            for (int i = 0; i < running.size(); i++) {
                final ClusterNode node = running.get(i);
                if (!isDone(node)) {
                    if (restarted > 0) {
                        TimeUnit.MILLISECONDS.sleep(pause.toMillis());
                    }
                    restart(node);
                    restarted++;
                }
                task.at(i + 1, (i + 1) + " of " + running.size() + ", " + node.id());
            }
            task.done("");
        }
        done.clear();
        return restarted;
    }

    private void restart(final ClusterNode node) throws IOException, InterruptedException {
        final long before;
        try {
            before = cluster.started(node);
        } catch (final IOException e) {
            throw failed(node, "its start time cannot be read: " + e.getMessage());
        }
        execute(node);
        final long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            final Optional<String> missing = missing(node, before);
            if (missing.isEmpty()) {
                done.add(node.web(), cluster.started(node));
                return;
            }
            if (System.nanoTime() > deadline) {
                throw failed(node, missing.get());
            }
            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
        }
    }

    private void execute(final ClusterNode node) throws IOException, InterruptedException {
        final Process process =
                new ProcessBuilder("sh", "-c", commandFor(node))
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            process.destroy();
            throw failed(
                    node, commandFor(node) + " did not end within " + patience.toSeconds() + " s");
        }
        if (process.exitValue() != 0) {
            throw failed(node, commandFor(node) + " ended with exit code " + process.exitValue());
        }
    }

    /** Why a NodeManager does not serve yet; empty when it does. */
    private Optional<String> missing(final ClusterNode node, final long before) {
        // By its web address: its id may hold another port after each start.
        final Optional<ClusterNode> now =
                cluster.nodes().stream()
                        .filter(ClusterNode::isRunning)
                        .filter(one -> one.web().equals(node.web()))
                        .findFirst();
        if (now.isEmpty()) {
            return Optional.of("the ResourceManager does not list it as RUNNING");
        }
        try {
            if (cluster.started(now.get()) == before) {
                return Optional.of("it was not restarted: the same process still runs");
            }
        } catch (final IOException e) {
            return Optional.of("it does not answer: " + e.getMessage());
        }
        return cluster.examine(now.get()).findings().stream()
                .filter(RollingRestart::prevents)
                .findFirst()
                .map(RollingRestart::text);
    }

    /** A NodeManager with Hadoop's own handler serves jobs, but does not serve Spillway. */
    private static boolean prevents(final Finding finding) {
        return finding.severity() == Severity.ERROR || finding.check().equals(HandlerCheck.NAME);
    }

    private static String text(final Finding finding) {
        return finding.what() + ": " + finding.mend();
    }

    private static CommandException failed(final ClusterNode node, final String why) {
        return new CommandException(
                "stopped at "
                        + node.id()
                        + ": "
                        + why
                        + ". Those before it serve, those after it were not touched. Read the log"
                        + " of this one, mend the cause, and run the same command again: it"
                        + " continues here");
    }
}
