// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** All shell scripts of the repository, as shellcheck reads them. */
class ShellScriptsTest {
    private static final Path ROOT = Path.of("..");
    private static final String HADOOP = "cli/src/main/hadoop-runtime/bin";
    private static final String SLURM = "common/src/test/resources/io/spillway/slurm";
    private static final String EXECUTORS = "lab/src/test/resources/io/spillway/lab/cluster";
    private static final Path SHELLCHECK = Path.of("/usr/bin/shellcheck");

    @Test
    void shellcheckHasNothingToSay() throws Exception {
        assumeTrue(Files.isExecutable(SHELLCHECK), SHELLCHECK + " is not installed");
        final List<String> command = new ArrayList<>(List.of(SHELLCHECK.toString(), "-x"));
        command.addAll(scripts());
        assertThat(command)
                .contains(
                        "spillway",
                        ".ci/run",
                        "dist/spillway-node",
                        "dist/release",
                        "docs/results/run");
        final Process process =
                new ProcessBuilder(command)
                        .directory(ROOT.toFile())
                        .redirectErrorStream(true)
                        .start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
    }

    /** By their first line. */
    private static List<String> scripts() throws IOException {
        final List<String> scripts = new ArrayList<>();
        for (final String folder :
                List.of("", ".ci", "dist", "docs/results", HADOOP, SLURM, EXECUTORS)) {
            try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
                files.filter(Files::isRegularFile)
                        .filter(ShellScriptsTest::isScript)
                        .map(file -> ROOT.relativize(file).toString())
                        .forEach(scripts::add);
            }
        }
        return scripts;
    }

    private static boolean isScript(final Path file) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.findFirst().orElse("").matches("#!.*\\b(ba)?sh\\b.*");
        } catch (final IOException e) {
            throw new AssertionError("cannot read " + file, e);
        }
    }
}
