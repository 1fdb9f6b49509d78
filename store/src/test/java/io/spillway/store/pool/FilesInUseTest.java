// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesInUseTest {
    @TempDir private Path directory;

    private Path file(final String name) throws IOException {
        return Files.createFile(directory.resolve(name));
    }

    @Test
    void knowsWhatIsOpenBelowAFolder() throws IOException {
        final Path folder = Files.createDirectory(directory.resolve("folder"));
        final Path open = Files.createFile(folder.resolve("open"));
        final Path closed = Files.createFile(folder.resolve("closed"));
        final Path outside = file("outside");
        try (InputStream in = Files.newInputStream(open);
                InputStream other = Files.newInputStream(outside)) {
            assertThat(in).isNotSameAs(other);
            final FilesInUse inUse = FilesInUse.below(folder);

            assertThat(inUse.contains(open)).isTrue();
            assertThat(inUse.contains(closed)).isFalse();
            assertThat(inUse.contains(outside)).as("outside of the folder").isFalse();
        }
        assertThat(FilesInUse.below(folder).contains(open)).isFalse();
    }

    @Test
    void knowsThemByAnotherPathOfTheFolder() throws IOException {
        final Path folder = Files.createDirectory(directory.resolve("folder"));
        final Path open = Files.createFile(folder.resolve("open"));
        final Path link = Files.createSymbolicLink(directory.resolve("link"), folder);
        try (InputStream in = Files.newInputStream(open)) {
            assertThat(in).isNotNull();
            assertThat(FilesInUse.below(link).contains(link.resolve("open"))).isTrue();
        }
    }

    @Test
    void takesEveryFileForOpenWhereItCannotLook() throws IOException {
        final Path closed = file("closed");
        assertThat(FilesInUse.ALL.contains(closed)).isTrue();
        assertThat(FilesInUse.below(directory.resolve("nowhere")).contains(closed)).isTrue();
    }
}
