// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

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

class PlugInTest {
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
        final String one = new PlugIn(jar("1.jar", 0, List.of("A", "B")), bench).checksum();

        assertThat(new PlugIn(jar("2.jar", 86_400_000L, List.of("B", "A")), bench).checksum())
                .isEqualTo(one);
        assertThat(new PlugIn(jar("3.jar", 0, List.of("A", "D")), bench).checksum())
                .isNotEqualTo(one);
        assertThat(new PlugIn(jar("4.jar", 0, List.of("A")), bench).checksum()).isNotEqualTo(one);
    }
}
