// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.site.ConfFile;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.LogTail;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WholeFile;
import io.spillway.cli.site.WorkFolder;
import io.spillway.node.control.ControlSocket;
import io.spillway.node.control.StatusClient;
import io.spillway.node.launch.NodeCommand;
import io.spillway.node.process.NodeMain;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Starts the node process, with the class path of Hadoop. Used by one thread. */
final class NodeSession {
    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 20;
    private static final long PAUSE_MILLIS = 100;
    private static final List<Path> SETSID =
            List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));

    private final WorkFolder work;
    private final Function<String, String> settings;
    private final Screen screen;

    NodeSession(
            final WorkFolder work, final Function<String, String> settings, final Screen screen) {
        this.work = work;
        this.settings = settings;
        this.screen = screen;
    }

    /** Runs the process until it ends, and gives its exit code. It ends with this one. */
    int runInForeground(final Map<String, String> definitions)
            throws IOException, InterruptedException {
        final Process process = builder(definitions).inheritIO().start();
        final Thread stopper = new Thread(() -> stop(process), "node-stopper");
        Runtime.getRuntime().addShutdownHook(stopper);
        return process.waitFor();
    }

    private static void stop(final Process process) {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Writes how the process is started, for the script that becomes it: words, each with a NUL at
     * its end, variables of the environment first.
     */
    int handOver(final Map<String, String> definitions, final Path file) throws IOException {
        final NodeCommand command = command(definitions);
        final List<String> words = new ArrayList<>();
        words.add(NodeCommand.CLASS_PATH + "=" + command.classPath());
        words.addAll(command.line(List.of()));
        Files.writeString(file, String.join("\0", words) + "\0");
        return 0;
    }

    /** Starts the process, and waits until it serves or has failed. */
    int startDaemon(final Map<String, String> definitions, final Path log)
            throws IOException, InterruptedException {
        final Optional<Long> running = running();
        if (running.isPresent()) {
            screen.note("spillway: a node process runs already: pid " + running.get());
            return NodeMain.RUNS_ALREADY;
        }
        final Path file = log == null ? work.node().resolve("node.log") : log.toAbsolutePath();
        Files.createDirectories(file.getParent());
        final ProcessBuilder builder = builder(definitions);
        final List<String> command = new ArrayList<>(builder.command());
        // A session of its own: the terminal's end is not the daemon's.
        SETSID.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .ifPresent(setsid -> command.add(0, setsid.toString()));
        builder.command(command);
        builder.redirectOutput(ProcessBuilder.Redirect.to(file.toFile()));
        return awaitServing(builder.start(), file);
    }

    private int awaitServing(final Process process, final Path log) throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < deadline) {
            if (process.waitFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                LogTail.reason(log).forEach(screen::note);
                return process.exitValue();
            }
            if (running().equals(Optional.of(process.pid()))) {
                screen.note("node process " + process.pid() + ", log " + log);
                return 0;
            }
        }
        process.destroyForcibly();
        throw new CommandException(
                "the node process does not serve within " + START_SECONDS + " s; see " + log);
    }

    /**
     * What the placement service knows, asked by a process that has Hadoop's classes.
     *
     * @return one object of JSON
     */
    String askCluster(final Map<String, String> definitions)
            throws IOException, InterruptedException {
        final Process process = command(definitions).builder(List.of(NodeMain.CLUSTER)).start();
        final List<String> lines;
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            lines = out.lines().toList();
        }
        final int code = process.waitFor();
        return lastThatBegins(lines, "{")
                .filter(line -> code == 0)
                .orElseThrow(() -> new CommandException(reason(lines, code)));
    }

    private static String reason(final List<String> lines, final int code) {
        return lastThatBegins(lines, NodeMain.MESSAGE)
                .map(line -> line.substring(NodeMain.MESSAGE.length()))
                .orElseGet(() -> "exit code " + code + ": " + String.join("\n", lines));
    }

    private static Optional<String> lastThatBegins(final List<String> lines, final String with) {
        return lines.stream().filter(line -> line.startsWith(with)).reduce((a, b) -> b);
    }

    /** The process that answers, if one does. */
    private Optional<Long> running() {
        try {
            final String status = StatusClient.ask(ControlSocket.path(settings));
            return Optional.of(NodeStatusText.parse(status).path("pid").asLong());
        } catch (final IOException e) {
            return Optional.empty(); // none, or not yet
        }
    }

    private ProcessBuilder builder(final Map<String, String> definitions) throws IOException {
        return command(definitions).builder(List.of());
    }

    private NodeCommand command(final Map<String, String> definitions) throws IOException {
        return NodeCommand.of(String.join(":", classPath()), settings, definitions);
    }

    private List<String> classPath() throws IOException {
        final PlugIn plugIn = PlugIn.ofThisBuild();
        final Optional<InstalledHadoop> installed =
                InstalledHadoop.find(work, plugIn, System.getenv());
        final List<String> classPath = new ArrayList<>();
        classPath.add(plugIn.engine().toString());
        if (installed.isPresent()) {
            classPath.addAll(installed.get().clientClassPath());
            return classPath;
        }
        final Path conf = work.node().resolve("conf");
        ConfFile.write(conf.resolve("core-site.xml"), Map.of());
        WholeFile.publish(conf.resolve("log4j.properties"), ConfFile.LOGGING);
        classPath.add(conf.toString());
        classPath.addAll(
                HadoopRuntime.resolve(work, HadoopRuntime.DEFAULT_VERSION, screen::note)
                        .classPath());
        return classPath;
    }
}
