package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;

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
        final List<String> command = new ArrayList<>(launch);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-Xcheck:jni",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName()));
        command.addAll(List.of(arguments));
        return command(command);
    }

    /** Runs a command to its end, like {@link #run}. */
    public String command(final List<String> command) throws Exception {
        final Path log = Files.createTempFile(folder, "run-", ".log");
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
        final Process process = builder.start();
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

    private static String printed(final Path log) throws IOException {
        return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    }

    private static void kill(final Process process) {
        try (Stream<ProcessHandle> ranks = process.descendants()) {
            ranks.forEach(ProcessHandle::destroyForcibly);
        }
        process.destroyForcibly();
    }
}
