// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster.daemon;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One daemon in a session of its own, so that it outlives the command and its Ctrl-C. */
public final class DaemonProcess {
    private static final List<Path> SETSID =
            List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));

    private final DaemonLog log;
    private final List<DaemonLog> parts;
    private final Process process;

    private DaemonProcess(final DaemonLog log, final List<DaemonLog> parts, final Process process) {
        this.log = log;
        this.parts = List.copyOf(parts);
        this.process = process;
    }

    /**
     * Starts a daemon.
     *
     * @param log takes what it prints
     * @param parts what the processes print that it starts, and that tell why it ends
     * @param line the words of its command
     * @param environment added to ours
     */
    public static DaemonProcess start(
            final DaemonLog log,
            final List<DaemonLog> parts,
            final List<String> line,
            final Map<String, String> environment) {
        final List<String> command = new ArrayList<>();
        SETSID.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .ifPresent(command::add);
        command.addAll(line);
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile()));
        try {
            return new DaemonProcess(log, parts, builder.start());
        } catch (final IOException e) {
            throw new CommandException("cannot start " + log.name() + ": " + e.getMessage(), e);
        }
    }

    /** What it is called. */
    public String name() {
        return log.name();
    }

    /** What it prints. */
    public DaemonLog log() {
        return log;
    }

    /** The process itself, or what has become it. */
    public Process process() {
        return process;
    }

    /** What the processes print that it has started; empty where it does all itself. */
    public List<DaemonLog> parts() {
        return parts;
    }

    /** Throws, with the reason from the logs, when the daemon has ended. */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw failure("ended with code " + process.exitValue());
        }
    }

    /** An exception that says what is wrong and quotes the logs. */
    public CommandException failure(final String what) {
        final StringBuilder text = new StringBuilder(log.name()).append(' ').append(what);
        text.append(':').append(log.reason());
        parts.forEach(part -> text.append('\n').append(part.name()).append(part.reason()));
        return new CommandException(text.toString());
    }
}
