package io.spillway.bench.net;

import io.spillway.bench.BadInputException;
import io.spillway.bench.BenchException;
import io.spillway.bench.site.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One of a benchmark's JVMs. It ends when this object is closed, or this process ends: its standard
 * input ends then too.
 */
public final class NetProcess implements AutoCloseable {
    /** The environment variable with the common secret, in hexadecimal digits. */
    static final String SECRET_VARIABLE = "SPILLWAY_BENCH_SECRET";

    private static final long END_SECONDS = 5;

    private final String name;
    private final Process process;
    private final BufferedReader output;
    private final Path log;
    private final Thread hook;

    /**
     * Starts a JVM.
     *
     * @param name for messages
     * @param options of the JVM
     * @param classPath of it
     * @param main class of it
     * @param arguments of its main class
     * @param secret in hexadecimal digits, in its environment
     * @param log its standard error goes there
     */
    public NetProcess(
            final String name,
            final List<String> options,
            final List<String> classPath,
            final Class<?> main,
            final List<String> arguments,
            final String secret,
            final Path log) {
        this.name = name;
        this.log = log;
        final List<String> command = new ArrayList<>(List.of(JavaCommand.path()));
        command.addAll(options);
        command.addAll(List.of("-cp", String.join(":", classPath), main.getName()));
        command.addAll(arguments);
        final ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().put(SECRET_VARIABLE, secret);
        // Else UCX takes over the JVM's own signals, and ends it at the first null pointer.
        builder.environment().put("UCX_ERROR_SIGNALS", "");
        try {
            process = builder.start();
        } catch (final IOException e) {
            throw new BenchException("cannot start the " + name + ": " + e.getMessage(), e);
        }
        output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        hook = new Thread(process::destroyForcibly, "end-" + main.getSimpleName());
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The secret that this process was started with. */
    public static byte[] secret() {
        final String text = System.getenv(SECRET_VARIABLE);
        if (text == null || text.isEmpty()) {
            throw new BadInputException(SECRET_VARIABLE + " is not set");
        }
        return HexFormat.of().parseHex(text);
    }

    /** The rest of the first line that begins so. */
    public String await(final String beginning) {
        final StringBuilder rest = new StringBuilder();
        final boolean[] found = new boolean[1];
        readUntil(
                line -> {
                    found[0] = line.startsWith(beginning);
                    rest.append(found[0] ? line.substring(beginning.length()) : "");
                    return found[0];
                });
        if (!found[0]) {
            throw failure("ended before it was ready");
        }
        return rest.toString();
    }

    /** Hands over each line until its end. */
    public void forEachLine(final Consumer<String> lines) {
        readUntil(
                line -> {
                    lines.accept(line);
                    return false;
                });
    }

    private interface Lines {
        /** Takes a line; true for no more. */
        boolean take(String line);
    }

    private void readUntil(final Lines lines) {
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (lines.take(line)) {
                    return;
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What says that this process has failed, and where its log is. */
    public BenchException failure(final String what) {
        return new BenchException("the " + name + " " + what + "; its log: " + log);
    }

    /** Waits for the end; gives the exit code. */
    public int join() {
        try {
            return process.waitFor();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (final IOException e) {
            process.destroyForcibly();
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        removeHook();
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // this process is ending: the hook runs
        }
    }
}
