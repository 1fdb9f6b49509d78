package io.spillway.bench.cluster;

import io.spillway.bench.BenchException;
import io.spillway.bench.site.JavaCommand;
import io.spillway.bench.site.LogTail;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One daemon in a JVM and a session of its own, so that it outlives the command and its Ctrl-C. */
final class DaemonProcess {
    private static final List<Path> SETSID =
            List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));

    private final String name;
    private final Path log;
    private final Process process;

    private DaemonProcess(final String name, final Path log, final Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts a daemon.
     *
     * @param name of the daemon; its log is {@code <name>.log}
     * @param prefix goes before the command; empty for none
     * @param options of its JVM; they win over the role's
     * @param temporary where it unpacks web pages and libraries
     * @param classPath of its JVM, the configuration folder first
     * @param environment added to ours
     */
    static DaemonProcess start(
            final String name,
            final List<String> prefix,
            final DaemonRole role,
            final List<String> options,
            final Path temporary,
            final List<String> classPath,
            final Map<String, String> environment,
            final Path logs,
            final List<String> arguments) {
        final Path log = logs.resolve(name + ".log");
        final List<String> command = new ArrayList<>();
        SETSID.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .ifPresent(command::add);
        command.addAll(prefix);
        command.add(JavaCommand.path());
        command.addAll(role.jvmOptions());
        command.addAll(options);
        command.add("-Djava.io.tmpdir=" + temporary);
        command.addAll(List.of("-cp", String.join(":", classPath), role.mainClass()));
        command.addAll(arguments);
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        try {
            return new DaemonProcess(name, log, builder.start());
        } catch (final IOException e) {
            throw new BenchException("cannot start " + name + ": " + e.getMessage(), e);
        }
    }

    String name() {
        return name;
    }

    Process process() {
        return process;
    }

    /** Whether its log has a line with this text. */
    boolean hasLogged(final String text) {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.contains(text));
        } catch (final IOException e) {
            return false;
        }
    }

    /** Throws, with the reason from the log, when the daemon has ended. */
    void requireAlive() {
        if (!process.isAlive()) {
            throw failure("ended with code " + process.exitValue());
        }
    }

    /** An exception that says what is wrong and quotes the log. */
    BenchException failure(final String what) {
        return new BenchException(
                name
                        + " "
                        + what
                        + ":\n  "
                        + String.join("\n  ", LogTail.reason(log))
                        + "\n  log: "
                        + log);
    }
}
