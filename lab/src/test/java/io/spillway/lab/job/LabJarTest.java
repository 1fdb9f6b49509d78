// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabJarTest {
    @TempDir private Path folder;

    private Path jar(final String name, final long time, final List<String> entries)
            throws IOException {
        final Path jar = folder.resolve(name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (final String entry : entries) {
                final ZipEntry made = new ZipEntry(entry);
                made.setTime(time);
                zip.putNextEntry(made);
                zip.write(entry.getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    @Test
    void theChecksumIsOfWhatTheJarsHoldNotOfWhenTheyWereMade() throws IOException {
        final Path bench = jar("bench.jar", 0, List.of("C"));
        final String one = LabJar.checksum(List.of(jar("1.jar", 0, List.of("A", "B")), bench));

        assertThat(LabJar.checksum(List.of(jar("2.jar", 86_400_000L, List.of("B", "A")), bench)))
                .isEqualTo(one);
        assertThat(LabJar.checksum(List.of(jar("3.jar", 0, List.of("A", "D")), bench)))
                .isNotEqualTo(one);
        assertThat(LabJar.checksum(List.of(jar("4.jar", 0, List.of("A")), bench)))
                .isNotEqualTo(one);
    }
}
