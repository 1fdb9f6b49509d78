// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds and runs the C compiler of the site's MPI library. Immutable. */
final class ShimCompiler {
    /** A compiler's first errors say what is wrong. */
    private static final int MAX_LINES = 8;

    private static final String OUTPUT = "compiler.log";

    private final String pathOrNull;
    private final Duration limit;

    /**
     * For commands on a search path.
     *
     * @param pathOrNull as the variable PATH
     * @param limit how long a run may take
     */
    ShimCompiler(final String pathOrNull, final Duration limit) {
        this.pathOrNull = pathOrNull;
        this.limit = limit;
    }

    /**
     * The program of a command, or of an absolute path.
     *
     * @throws IOException that says what to change
     */
    Path find(final String name) throws IOException {
        final String setting = MpiKeys.MPI_COMPILER.name() + "=" + name;
        if (name.startsWith("/")) {
            return Optional.of(Path.of(name))
                    .filter(ShimCompiler::isProgram)
                    .orElseThrow(
                            () -> new IOException(setting + ": no program that can be started"));
        }
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(pathOrNull == null ? "" : pathOrNull)
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder, name))
                .filter(ShimCompiler::isProgram)
                .findFirst()
                .orElseThrow(
                        () ->
                                new IOException(
                                        setting
                                                + ": not found on PATH; load your site's MPI"
                                                + " module or set "
                                                + MpiKeys.MPI_COMPILER.name()
                                                + " to the path of its mpicc"));
    }

    private static boolean isProgram(final Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }

    /** What the wrapper says that it calls; of one that does not know the option, its complaint. */
    String show(final Path program) throws IOException {
        final Path work = Files.createTempDirectory("spillway-mpi-");
        try {
            start(program, work, List.of("-show"));
            return output(work).collect(Collectors.joining("\n"));
        } finally {
            ShimCache.delete(work);
        }
    }

    /**
     * Compiles.
     *
     * @param work the working directory
     * @throws IOException that has what the compiler printed
     */
    void run(final Path program, final Path work, final List<String> arguments) throws IOException {
        final int code = start(program, work, arguments);
        if (code != 0) {
            throw new IOException(
                    MpiKeys.MPI_COMPILER.name()
                            + "="
                            + program
                            + " failed with exit code "
                            + code
                            + ": "
                            + output(work)
                                    .filter(line -> !line.isBlank())
                                    .limit(MAX_LINES)
                                    .collect(Collectors.joining("\n")));
        }
    }

    private int start(final Path program, final Path work, final List<String> arguments)
            throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(program.toString());
        command.addAll(arguments);
        final Process process =
                new ProcessBuilder(command)
                        .directory(work.toFile())
                        .redirectErrorStream(true)
                        .redirectInput(new File("/dev/null"))
                        .redirectOutput(work.resolve(OUTPUT).toFile())
                        .start();
        try {
            if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
            throw new IOException(
                    MpiKeys.MPI_COMPILER.name()
                            + "="
                            + program
                            + " has not ended after "
                            + limit.toSeconds()
                            + " s: run it by hand (spillway mpi build) and set "
                            + MpiKeys.MPI_LIBRARY.name());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + program + " ran", e);
        } finally {
            end(process);
        }
    }

    /** A wrapper has children that compile. */
    private static void end(final Process process) {
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static Stream<String> output(final Path work) throws IOException {
        return new String(Files.readAllBytes(work.resolve(OUTPUT)), StandardCharsets.UTF_8).lines();
    }
}
