// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.launch;

import io.spillway.node.control.ControlClient;
import io.spillway.node.process.NodeMain;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a node process running as a child of this one: starts it again when it has died, later and
 * later, and names its death in the log. Used by one thread.
 */
public final class NodeLauncher implements ControlClient.Starter {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLauncher.class);

    private static final long FIRST_DELAY_MILLIS = 1_000;
    private static final long LAST_DELAY_MILLIS = 60_000;
    private static final long STOP_SECONDS = 5;

    /** A process that lives and does not answer for so long is ended. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** What the shell and Java add to a signal's number in an exit code. */
    private static final int SIGNAL_BASE = 128;

    private static final int LAST_SIGNAL = 64;
    private static final int KILL = 9;

    private final NodeCommand command;
    private final Optional<Path> log;
    private final RestartDelay delay = new RestartDelay(FIRST_DELAY_MILLIS, LAST_DELAY_MILLIS);
    private Process child;
    private long startedNanos;
    private long notBeforeNanos = System.nanoTime();
    private boolean isSilent;
    private long silentSinceNanos;
    private boolean stopped;

    /**
     * Creates a launcher that has started nothing.
     *
     * @param command starts the process
     * @param log the file for its output; nothing for this process's own
     */
    public NodeLauncher(final NodeCommand command, final Optional<Path> log) {
        this.command = Objects.requireNonNull(command, "command");
        this.log = Objects.requireNonNull(log, "log");
    }

    @Override
    public boolean ensureRunning() {
        if (stopped) {
            return false;
        }
        if (child != null && child.isAlive()) {
            endIfSilent();
            return true;
        }
        if (child != null) {
            died();
        }
        if (System.nanoTime() - notBeforeNanos >= 0) {
            start();
        }
        return true;
    }

    private void endIfSilent() {
        if (!isSilent) {
            isSilent = true;
            silentSinceNanos = System.nanoTime();
        } else if (System.nanoTime() - silentSinceNanos > SILENCE_NANOS) {
            LOG.warn(
                    "The node process {} does not answer for {} s: killing it",
                    child.pid(),
                    TimeUnit.NANOSECONDS.toSeconds(SILENCE_NANOS));
            child.destroyForcibly();
        }
    }

    @Override
    public void connected() {
        isSilent = false;
    }

    private void died() {
        final long livedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
        final long delayMillis = delay.after(livedMillis);
        notBeforeNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMillis);
        if (child.exitValue() == NodeMain.RUNS_ALREADY) {
            LOG.info("Another node process of this user serves the host: it will do");
            child = null;
            return;
        }
        LOG.warn(
                "The node process {} has died after {} s: {}; starting it again in {} s",
                child.pid(),
                TimeUnit.MILLISECONDS.toSeconds(livedMillis),
                describe(child.exitValue()),
                TimeUnit.MILLISECONDS.toSeconds(delayMillis));
        child = null;
    }

    /** What an exit code says. */
    static String describe(final int code) {
        final int signal = code - SIGNAL_BASE;
        if (signal > 0 && signal <= LAST_SIGNAL) {
            return "signal " + signal + (signal == KILL ? " (SIGKILL)" : "");
        }
        return switch (code) {
            case 0 -> "exit code 0, it ended by itself";
            case NodeMain.WRONG_INPUT -> "exit code " + code + ", a wrong setting; see its log";
            default -> "exit code " + code + "; see its log";
        };
    }

    private void start() {
        final ProcessBuilder builder = command.builder(List.of(NodeMain.END_WHEN_ALONE));
        builder.redirectOutput(
                log.map(Path::toFile)
                        .map(ProcessBuilder.Redirect::appendTo)
                        .orElse(ProcessBuilder.Redirect.INHERIT));
        startedNanos = System.nanoTime();
        try {
            child = builder.start();
            isSilent = false;
            LOG.info(
                    "Started the node process {}, log: {}",
                    child.pid(),
                    log.map(Path::toString).orElse("this process's output"));
        } catch (final IOException e) {
            final long delayMillis = delay.after(0);
            notBeforeNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMillis);
            LOG.warn(
                    "Cannot start the node process ({}); trying again in {} s",
                    e.getMessage(),
                    TimeUnit.MILLISECONDS.toSeconds(delayMillis));
        }
    }

    @Override
    public void stop() {
        stopped = true;
        if (child == null || !child.isAlive()) {
            return;
        }
        child.destroy();
        try {
            if (!child.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("The node process {} does not end: killing it", child.pid());
                child.destroyForcibly();
            }
        } catch (final InterruptedException e) {
            child.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
