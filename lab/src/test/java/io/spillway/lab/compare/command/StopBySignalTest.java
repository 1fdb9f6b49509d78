// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.lab.compare.SavedRuns;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes that are stopped while they compare. */
@Timeout(120)
class StopBySignalTest {
    @TempDir private Path folder;

    /** With the signals' own meaning, which a background job of a shell has not. */
    private Process start(final Path json) throws Exception {
        return new ProcessBuilder(
                        "env",
                        "--default-signal=INT,TERM",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StoppedComparison.class.getName(),
                        json.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static void awaitReady(final BufferedReader lines) throws Exception {
        String line = lines.readLine();
        while (line != null && !line.equals(StoppedComparison.READY)) {
            line = lines.readLine();
        }
        assertThat(line).isEqualTo(StoppedComparison.READY);
    }

    private static void signal(final String name, final Process process) throws Exception {
        assertThat(
                        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                                .start()
                                .waitFor())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void leavesWhatItHasAndSaysHowToGoOn(final String signal, final int exitCode) throws Exception {
        final Path json = folder.resolve("tera.json");
        final Process process = start(json);
        final List<String> printed = new ArrayList<>();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            awaitReady(lines);
            signal(signal, process);
            lines.lines().forEach(printed::add);
        }

        assertThat(process.waitFor()).isEqualTo(exitCode);
        assertThat(printed).contains("Cut short. Measured so far:", "JSON: " + json);
        assertThat(printed).last().isEqualTo("Go on with: " + StoppedComparison.RESUME);
        assertThat(Files.readString(json)).contains("\"isComplete\" : false", "\"job_1_1\"");
        assertThat(begin(json)).isEqualTo(StoppedComparison.oneRun());
    }

    @Test
    void leavesWhatItHasWhenItIsKilled() throws Exception {
        final Path json = folder.resolve("tera.json");
        final Process process = start(json);
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            awaitReady(lines);
            process.destroyForcibly();
        }

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(begin(json)).isEqualTo(StoppedComparison.oneRun());
    }

    private static SavedRuns begin(final Path json) {
        return Resumption.of(json, true, StoppedComparison.OPTIONS)
                .begin(Map.of(), Optional.empty());
    }
}
