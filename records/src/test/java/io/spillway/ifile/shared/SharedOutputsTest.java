// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.host.OwnUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedOutputsTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String OUTPUT = "attempt_1700000000000_0001_m_000004_0";

    private final SharedOutputs outputs = new SharedOutputs(Path.of("/scratch/shuffle"));

    @Test
    void aPlaceIsMadeOfThreeNames() {
        assertThat(outputs.output(JOB, "node-17.cluster", OUTPUT))
                .hasToString(
                        "/scratch/shuffle/spillway-" + JOB + "/node-17.cluster/" + OUTPUT + ".out");
        assertThat(outputs.output(JOB, "fe80::1%eth0", OUTPUT))
                .isEqualTo(outputs.host(JOB, "fe80::1%eth0").resolve(OUTPUT + ".out"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "../x", "-x", "a b", "ä", "a\nb"})
    void whatIsNoPlainNameIsNoPlace(final String name) {
        assertThatThrownBy(() -> outputs.output(JOB, name, OUTPUT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host=" + name);
        assertThatThrownBy(() -> outputs.job(name)).hasMessageContaining("job=" + name);
        assertThatThrownBy(() -> outputs.output(JOB, "h", name)).hasMessageContaining("output=");
    }

    @Test
    void onlyThePlaceOfAnOutputIsItsPlace() {
        assertThat(outputs.isPlaceOf(outputs.output(JOB, "h", OUTPUT), JOB, OUTPUT)).isTrue();
        assertThat(outputs.isPlaceOf(outputs.output(JOB, "h", "other"), JOB, OUTPUT)).isFalse();
        assertThat(outputs.isPlaceOf(outputs.output("job_2", "h", OUTPUT), JOB, OUTPUT)).isFalse();
        final Path up = Path.of("/scratch/shuffle/x/spillway-" + JOB + "/../h/" + OUTPUT + ".out");
        assertThat(outputs.isPlaceOf(up, JOB, OUTPUT)).isFalse();
        assertThat(outputs.isPlaceOf(Path.of("/"), JOB, OUTPUT)).isFalse();
        assertThat(outputs.isPlaceOf(Path.of("x.out"), JOB, OUTPUT)).isFalse();
    }

    @Test
    void foldersThatOthersMayWriteToAreRefused(@TempDir final Path directory) throws IOException {
        final SharedOutputs here = new SharedOutputs(directory);
        assertThatThrownBy(() -> here.requireOwn(JOB, "h")).isInstanceOf(NoSuchFileException.class);
        Files.createDirectories(here.host(JOB, "h"));
        assertThatCode(() -> here.requireOwn(JOB, "h")).doesNotThrowAnyException();

        Files.setPosixFilePermissions(here.job(JOB), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> here.requireOwn(JOB, "h"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(here.job(JOB).toString())
                .hasMessageContaining("OTHERS_WRITE");
    }

    @Test
    void aLinkToAFolderIsRefused(@TempDir final Path directory) throws IOException {
        final SharedOutputs here = new SharedOutputs(directory);
        final Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.createDirectory(here.job(JOB));
        Files.createSymbolicLink(here.host(JOB, "h"), elsewhere);
        assertThatThrownBy(() -> here.requireOwn(JOB, "h"))
                .hasMessageContaining("isDirectory=false");
    }

    @Test
    void aFolderOfAnotherUserIsRefused(@TempDir final Path directory) throws IOException {
        assumeThat(OwnUser.name()).as("only root gives files away").isEqualTo("root");
        final SharedOutputs here = new SharedOutputs(directory);
        Files.createDirectories(here.host(JOB, "h"));
        Files.setAttribute(here.job(JOB), "unix:uid", 54_321);
        assertThatThrownBy(() -> here.requireOwn(JOB, "h")).hasMessageContaining("owner=54321");
    }
}
