// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkFolderTest {
    @TempDir private Path folder;

    @Test
    void deletesATreeButNotWhatItsLinksPointTo() throws IOException {
        final Path kept = Files.createDirectories(folder.resolve("kept"));
        Files.writeString(kept.resolve("file"), "x");
        final Path tree = Files.createDirectories(folder.resolve("tree/sub"));
        Files.createSymbolicLink(tree.resolve("link"), kept);
        WorkFolder.deleteTree(folder.resolve("tree"));

        assertThat(folder.resolve("tree")).doesNotExist();
        assertThat(kept.resolve("file")).exists();
        WorkFolder.deleteTree(folder.resolve("tree"));
    }

    @Test
    void saysHowMuchRoomIsMissing() {
        assertThatThrownBy(() -> WorkFolder.requireSpace(folder, 1L << 60, "terasort"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("terasort needs about")
                .hasMessageContaining(folder.toString());
        WorkFolder.requireSpace(folder, 1, "nothing");
    }

    @Test
    void refusesWrongReleases() {
        for (final String wrong : new String[] {"3", "2.10.2", "3.3.6", "latest", "3.5.0/../x"}) {
            assertThatThrownBy(
                            () ->
                                    HadoopRuntime.resolve(
                                            new WorkFolder(folder, folder), wrong, note -> {}))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageContaining(wrong);
        }
    }
}
