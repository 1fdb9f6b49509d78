// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.host.TestJvm;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose process has hardly any file descriptors. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DescriptorShortageTest {
    @TempDir Path folder;

    /** What a process prints that may open eight files, for forty map outputs. */
    private List<String> run() throws IOException {
        final Process process =
                new ProcessBuilder(
                                TestJvm.command(List.of(), FewDescriptors.class, folder.toString()))
                        .redirectErrorStream(true)
                        .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    @Test
    void aNodeWithFewDescriptorsServesAllAndNeverBlamesAMap() throws IOException {
        final List<String> lines = run();

        for (int map = 0; map < FewDescriptors.MAPS; map++) {
            assertThat(lines).contains("map " + map + ": served");
        }
        assertThat(lines).contains("none left: BUSY", "given back: served");
    }

    @Test
    void aShortageIsKnownByWhatTheSystemSaysOfIt() {
        assertThat(
                        DescriptorShortage.isCauseOf(
                                new IOException(
                                        new FileSystemException("f", null, "Too many open files"))))
                .isTrue();
        assertThat(
                        DescriptorShortage.isCauseOf(
                                new FileNotFoundException("f (Too many open files in system)")))
                .isTrue();
        assertThat(DescriptorShortage.isCauseOf(new FileNotFoundException("f (No such file)")))
                .isFalse();
        assertThat(DescriptorShortage.isCauseOf(new FileSystemException("Too many open files")))
                .as("the name of a file")
                .isFalse();
    }
}
