// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.node.control.StatusClient;
import io.spillway.node.launch.NodeCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A node process in a JVM of its own. */
public final class NodeChild implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;

    private final Path folder;
    private final Process process;
    private final Path log;

    private NodeChild(final Path folder, final Process process, final Path log) {
        this.folder = folder;
        this.process = process;
        this.log = log;
    }

    /** Its socket. */
    public static Path socket(final Path folder) {
        return folder.resolve("run/node.sock");
    }

    /** How to start one whose files lie in a folder; {@code more} are settings too. */
    public static NodeCommand command(final Path folder, final Map<String, String> more)
            throws IOException {
        final Path conf = Files.createDirectories(folder.resolve("conf"));
        Files.writeString(
                conf.resolve("log4j.properties"),
                """
                log4j.rootLogger=INFO,console
                log4j.appender.console=org.apache.log4j.ConsoleAppender
                log4j.appender.console.target=System.err
                log4j.appender.console.layout=org.apache.log4j.PatternLayout
                log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
                """);
        final Map<String, String> settings =
                new TreeMap<>(
                        Map.of(
                                "spillway.node.socket",
                                socket(folder).toString(),
                                "spillway.node.host",
                                "127.0.0.1",
                                "spillway.node.http.port",
                                "none",
                                "spillway.node.heap",
                                "64m",
                                "spillway.node.transports",
                                "tcp"));
        settings.putAll(more);
        return NodeCommand.of(
                conf + ":" + System.getProperty("java.class.path"), settings::get, settings);
    }

    /** Starts one, and does not wait for it. */
    public static NodeChild start(final Path folder, final Map<String, String> settings)
            throws IOException {
        final Path log = Files.createTempFile(folder, "node", ".log");
        final ProcessBuilder builder = command(folder, settings).builder(List.of());
        builder.redirectOutput(log.toFile());
        return new NodeChild(folder, builder.start(), log);
    }

    NodeChild awaitServing() throws InterruptedException {
        TestManager.await(
                "a node process that serves; its log: " + log,
                () -> {
                    assertThat(process.isAlive()).as(this::log).isTrue();
                    return status().contains("\"pid\":" + process.pid() + ",");
                });
        return this;
    }

    private String status() {
        try {
            return StatusClient.ask(socket(folder));
        } catch (final IOException e) {
            return "";
        }
    }

    long pid() {
        return process.pid();
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int awaitEnd() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(this::log).isTrue();
        return process.exitValue();
    }

    /** SIGTERM. */
    int stop() throws InterruptedException {
        process.destroy();
        return awaitEnd();
    }

    /** SIGKILL. */
    int kill() throws InterruptedException {
        process.destroyForcibly();
        return awaitEnd();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
