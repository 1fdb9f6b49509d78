// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.SpillwayCommand;
import io.spillway.cli.doctor.check.DoctorReport;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.doctor.check.HostFindings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DoctorCommandTest {
    private static final Finding NOTE = Finding.note("a", "b", "c");
    private static final Finding WARNING = Finding.warning("d", "e", "f");
    private static final Finding ERROR = Finding.error("g", "h", "i");

    @TempDir private Path folder;
    private final StringWriter out = new StringWriter();

    @BeforeEach
    void pretendToBeStartedByTheScript() {
        System.setProperty("spillway.root", folder.toString());
    }

    @AfterEach
    void stopPretending() {
        System.clearProperty("spillway.root");
    }

    /** Runs the command for a host that has these findings. */
    private int run(final List<Finding> findings, final String... options) throws IOException {
        final Path answer = folder.resolve("answer");
        Files.writeString(
                answer,
                new DoctorReport(List.of(new HostFindings("n1", Map.of(), findings)), List.of())
                        .json());
        final Path ssh = folder.resolve("ssh");
        Files.writeString(
                ssh,
                "#!/bin/sh\necho \"$@\" > " + folder.resolve("asked") + "\ncat " + answer + "\n");
        Files.setPosixFilePermissions(ssh, PosixFilePermissions.fromString("rwxr-xr-x"));
        final CommandLine line = SpillwayCommand.newCommandLine();
        line.setOut(new PrintWriter(out, true));
        final String[] words = new String[options.length + 5];
        System.arraycopy(options, 0, words, 5, options.length);
        words[0] = "doctor";
        words[1] = "--hosts";
        words[2] = "n1";
        words[3] = "--by";
        words[4] = ssh + " -x";
        return line.execute(words);
    }

    @Test
    void theExitCodeSaysHowBadItIs() throws IOException {
        assertThat(run(List.of(NOTE), "--strict")).isZero();
        assertThat(run(List.of(NOTE, WARNING))).isZero();
        assertThat(run(List.of(NOTE, WARNING), "--strict")).isEqualTo(1);
        assertThat(run(List.of(NOTE, WARNING, ERROR))).isEqualTo(2);
    }

    @Test
    void anotherHostIsAskedForJsonByTheSamePath() throws IOException {
        run(List.of());

        assertThat(Files.readString(folder.resolve("asked")))
                .startsWith("-x n1 env ")
                .endsWith(folder.resolve("spillway") + " doctor --json\n");
        assertThat(out.toString()).isEqualTo("1 host: healthy\n");
    }

    @Test
    void jsonIsOneLine() throws IOException {
        run(List.of(ERROR), "--json");

        assertThat(out.toString().lines()).hasSize(1);
        assertThat(DoctorReport.parse(out.toString()).hosts().get(0).findings())
                .containsExactly(ERROR);
    }
}
