// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.SpillwayCommand;
import io.spillway.cli.site.ConfFile;
import io.spillway.cli.site.PlugIn;
import io.spillway.node.control.StatusClient;
import io.spillway.node.launch.NodeCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** A node process that a test starts itself. */
final class NodeByHand implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;
    private static final long PAUSE_MILLIS = 100;

    /** Of its own memory: the service's part has other keys beside it. */
    private static final Pattern HELD = Pattern.compile("\"outputs\":(\\d+),\"puts\"");

    private final Process process;
    private final Path socket;

    private NodeByHand(final Process process, final Path socket) {
        this.process = process;
        this.socket = socket;
    }

    /**
     * Starts one, and waits until it serves.
     *
     * @param prefix goes before its command
     * @param settings its own
     * @param socket where others on this host find it
     */
    static NodeByHand start(
            final FailureSite site,
            final List<String> prefix,
            final Map<String, String> settings,
            final Path socket)
            throws IOException, InterruptedException {
        final Path folder = Files.createDirectories(site.newPath("node"));
        Files.writeString(folder.resolve("log4j.properties"), ConfFile.LOGGING);
        final List<String> classPath = new ArrayList<>();
        classPath.add(PlugIn.ofThisBuild().engine().toString());
        classPath.add(folder.toString());
        classPath.addAll(site.cluster().clientClassPath());
        final Map<String, String> all = new TreeMap<>(settings);
        all.put("spillway.node.socket", socket.toString());
        all.put("spillway.node.http.port", "none");
        all.put("spillway.node.heap", "64m");
        final ProcessBuilder builder =
                NodeCommand.of(String.join(":", classPath), all::get, all).builder(List.of());
        final List<String> command = new ArrayList<>(prefix);
        command.addAll(builder.command());
        builder.command(command);
        final Path log = folder.resolve("node.log");
        final NodeByHand node =
                new NodeByHand(builder.redirectOutput(log.toFile()).start(), socket);
        try {
            node.awaitServing(log);
        } catch (final IOException | InterruptedException | Error e) {
            node.close();
            throw e;
        }
        return node;
    }

    private void awaitServing(final Path log) throws IOException, InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!isServing()) {
            assertThat(process.isAlive() && System.nanoTime() < deadline)
                    .as("a node process that serves; its log:\n%s", Files.readString(log))
                    .isTrue();
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private boolean isServing() {
        try {
            return StatusClient.ask(socket).contains("\"pid\":");
        } catch (final IOException e) {
            return false;
        }
    }

    long pid() {
        return process.pid();
    }

    /** Map outputs in its memory, those on their way included; -1 when it does not say. */
    int heldOutputs() {
        try {
            final Matcher held = HELD.matcher(StatusClient.ask(socket));
            return held.find() ? Integer.parseInt(held.group(1)) : -1;
        } catch (final IOException e) {
            return -1;
        }
    }

    /**
     * Runs {@code spillway node drain} for it.
     *
     * @return its exit code and what it prints
     */
    Outcome drain(final String... arguments) {
        final CommandLine command = SpillwayCommand.newCommandLine();
        final StringWriter out = new StringWriter();
        command.setOut(new PrintWriter(out, true));
        final List<String> words = new ArrayList<>(List.of("--quiet", "node", "drain"));
        words.addAll(List.of("-D", "spillway.node.socket=" + socket));
        words.addAll(List.of(arguments));
        return new Outcome(command.execute(words.toArray(String[]::new)), out.toString());
    }

    /** The result of a command. */
    record Outcome(int code, String output) {}

    /** Ends it by SIGTERM, and waits for its end. */
    void terminate() throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("its end").isTrue();
    }

    /** Whether it says that no map output is in its memory. */
    boolean isEmpty() {
        return heldOutputs() == 0;
    }

    /** Has it do nothing at all, until {@link #resume}. */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(final String name) throws IOException, InterruptedException {
        final Process kill =
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).as("exit code of kill -%s", name).isZero();
    }

    /** Kills it. Idempotent. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
