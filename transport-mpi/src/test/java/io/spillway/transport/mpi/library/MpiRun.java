// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.host.TestJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** JVMs that are ranks, and end with the test. */
public final class MpiRun {
    private static final long MINUTES = 8;

    private final Path folder;

    /**
     * Of processes whose caches and output are in a folder.
     *
     * @param folder of the test
     */
    public MpiRun(final Path folder) {
        this.folder = folder;
    }

    /**
     * Runs a class to its end.
     *
     * @param launch the launcher, or nothing for a process alone
     * @return what it printed; its exit code was 0
     */
    public String run(final List<String> launch, final Class<?> main, final String... arguments)
            throws Exception {
        return command(java(launch, List.of("-Xmx96m", "-Xcheck:jni"), main, List.of(arguments)));
    }

    /** The command that runs a class. */
    public static List<String> java(
            final List<String> launch,
            final List<String> options,
            final Class<?> main,
            final List<String> arguments) {
        final List<String> command = new ArrayList<>(launch);
        command.addAll(TestJvm.command(options, main, arguments.toArray(String[]::new)));
        return command;
    }

    /** Runs a command to its end, like {@link #run}. */
    public String command(final List<String> command) throws Exception {
        final Path log = Files.createTempFile(folder, "run-", ".log");
        final Process process = start(command, log);
        try {
            final boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            final String printed = printed(log);
            assertThat(ended).as(printed).isTrue();
            assertThat(process.exitValue()).as(printed).isZero();
            return printed;
        } finally {
            kill(process);
        }
    }

    /** Starts a command, whose output goes to a file; {@link #kill} ends it. */
    public Process start(final List<String> command, final Path log) throws IOException {
        final ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
        final Map<String, String> environment = builder.environment();
        environment.remove("UCX_ERROR_SIGNALS");
        environment.put("XDG_CACHE_HOME", folder.toString());
        environment.put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        environment.put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        return builder.start();
    }

    private static String printed(final Path log) throws IOException {
        return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    }

    /** Ends a process and all that it has started. */
    public static void kill(final Process process) {
        try (Stream<ProcessHandle> ranks = process.descendants()) {
            ranks.forEach(ProcessHandle::destroyForcibly);
        }
        process.destroyForcibly();
    }
}
