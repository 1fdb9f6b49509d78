// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.JavaCommand;
import io.spillway.node.Transports;
import io.spillway.transport.choice.TransportProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * One of a benchmark's processes, or the launcher of several. They end when this object is closed,
 * or this process ends: their standard input ends then too. Used by one thread.
 */
public final class NetProcess implements AutoCloseable {
    /** Begins the line of a process that cannot do its work; the reason follows. */
    public static final String FAILED = "failed ";

    /** The environment variable with the common secret, in hexadecimal digits. */
    private static final String SECRET_VARIABLE = "SPILLWAY_BENCH_SECRET";

    private static final long END_SECONDS = 5;

    private final String name;
    private final Process process;
    private final BufferedReader output;
    private final Path log;
    private final Thread hook = new Thread(this::kill, "end-benchmark");

    /**
     * Starts a process.
     *
     * @param name for messages
     * @param builder has its command
     * @param secret in hexadecimal digits, in its environment
     * @param log its standard error goes there
     */
    public NetProcess(
            final String name, final ProcessBuilder builder, final String secret, final Path log) {
        this.name = name;
        this.log = log;
        builder.redirectError(log.toFile());
        builder.environment().put(SECRET_VARIABLE, secret);
        // Else UCX takes over the JVM's own signals, and ends it at the first null pointer.
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        try {
            process = builder.start();
        } catch (final IOException e) {
            throw new CommandException("cannot start " + name + ": " + e.getMessage(), e);
        }
        output = process.inputReader(StandardCharsets.UTF_8);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The command of a JVM. */
    public static List<String> java(
            final List<String> options,
            final List<String> classPath,
            final Class<?> main,
            final List<String> arguments) {
        final List<String> command = new ArrayList<>(List.of(JavaCommand.path()));
        command.addAll(options);
        command.addAll(List.of("-cp", String.join(":", classPath), main.getName()));
        command.addAll(arguments);
        return command;
    }

    // ---- within such a process -----------------------------------------------------------------

    /** The secret that this process was started with. */
    public static byte[] secret() {
        return HexFormat.of().parseHex(System.getenv(SECRET_VARIABLE));
    }

    /** Arguments of a process with settings behind them. */
    public static List<String> arguments(
            final List<String> own, final Map<String, String> settings) {
        final List<String> arguments = new ArrayList<>(own);
        new TreeMap<>(settings).forEach((key, value) -> arguments.add(key + "=" + value));
        return arguments;
    }

    /** The settings among the arguments of this process. */
    public static Map<String, String> settings(final List<String> arguments) {
        final Map<String, String> settings = new TreeMap<>();
        for (final String argument : arguments) {
            final int assignment = argument.indexOf('=');
            settings.put(argument.substring(0, assignment), argument.substring(assignment + 1));
        }
        return settings;
    }

    /** The transport of a name. */
    static TransportProvider transport(final String name) throws IOException {
        return Transports.all().stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IOException("this build has no transport " + name));
    }

    // ---- from the one that has started it ------------------------------------------------------

    /** Writes a line, and gives the next one that is printed. */
    String ask(final String question) throws IOException {
        process.getOutputStream().write((question + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        return await("");
    }

    /**
     * The rest of the next line that begins so.
     *
     * @throws IOException with the reason that the process has printed in place of it
     */
    public String await(final String beginning) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(FAILED)) {
                throw new IOException(line.substring(FAILED.length()));
            }
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length());
            }
        }
        throw new IOException(name + " has ended; its log: " + log);
    }

    /** Waits for the end. */
    void join() throws InterruptedException {
        process.waitFor();
    }

    private void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (final IOException e) {
            // it has ended
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // this process is ending: the hook runs
        }
    }
}
