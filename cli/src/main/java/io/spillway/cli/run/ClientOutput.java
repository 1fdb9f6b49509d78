// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.thread.DaemonThreads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads both output streams of a client's JVM, keeps all of it in a log, and finds jobs and their
 * progress in it. Thread-safe: one thread reads each stream.
 */
final class ClientOutput {
    /** Programs print results; what is more than this is in the log only. */
    private static final int MOST_LINES = 100_000;

    private final JobListener listener;
    private final List<String> jobIds = new ArrayList<>();
    private final List<String> output = new ArrayList<>();

    ClientOutput(final JobListener listener) {
        this.listener = listener;
    }

    /** Reads both streams until the process closes them, and waits for its end. */
    JobResult follow(final Process process, final Path log)
            throws IOException, InterruptedException {
        try (Writer writer = Files.newBufferedWriter(log, StandardCharsets.UTF_8)) {
            final Thread errors =
                    DaemonThreads.of(
                            "client-errors",
                            () -> read(process.errorReader(StandardCharsets.UTF_8), writer, false));
            errors.start();
            read(process.inputReader(StandardCharsets.UTF_8), writer, true);
            errors.join();
            return new JobResult(process.waitFor(), List.copyOf(jobIds), List.copyOf(output), log);
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void read(final BufferedReader reader, final Writer log, final boolean isOutput) {
        try (reader) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                hear(line, log, isOutput);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void hear(final String line, final Writer log, final boolean isOutput)
            throws IOException {
        log.append(line).append('\n').flush();
        if (isOutput && output.size() < MOST_LINES) {
            output.add(line);
        }
        listener.onLine(line, isOutput);
        ClientLine.jobId(line).filter(id -> !jobIds.contains(id)).ifPresent(this::addJob);
        ClientLine.progress(line).ifPresent(both -> listener.onProgress(both[0], both[1]));
    }

    private void addJob(final String id) {
        jobIds.add(id);
        listener.onJob(id);
    }
}
