// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the names of leased files say, and what files of a folder take by them. */
class StoreNamesTest {
    private static final Path FOLDER = Path.of("/x+9.data");

    @TempDir private Path directory;

    private static long granted(final String name) {
        return LeasedName.granted(FOLDER.resolve(name));
    }

    @Test
    void theGrantIsBetweenTheLastPlusAndTheSuffix() {
        assertThat(granted(LeasedName.writing("spill0", 12_345))).isEqualTo(12_345);
        assertThat(granted(LeasedName.writing("a+7", 5))).isEqualTo(5);
        assertThat(granted(LeasedName.writing("", 5))).isEqualTo(5);
        assertThat(granted(LeasedName.complete("spill0"))).isZero();
        assertThat(granted("spill0+5")).isZero();
        assertThat(granted("spill0+5.tmp")).isZero();
        assertThat(granted("spill0+.data")).isZero();
        assertThat(granted("spill0+x.data")).isZero();
        assertThat(granted("spill0+-5.data")).isZero();
    }

    @Test
    void dataIsWhatEndsSo() {
        assertThat(LeasedName.isData(FOLDER.resolve(LeasedName.writing("a", 1)))).isTrue();
        assertThat(LeasedName.isData(FOLDER.resolve(LeasedName.complete("a")))).isTrue();
        assertThat(LeasedName.isData(FOLDER.resolve("lock"))).isFalse();
        assertThat(LeasedName.isData(FOLDER.resolve("a.data.tmp"))).isFalse();
    }

    @Test
    void lengthsAreRoundedUpToPages() {
        assertThat(FolderUsage.pages(0)).isZero();
        assertThat(FolderUsage.pages(1)).isEqualTo(4096);
        assertThat(FolderUsage.pages(4096)).isEqualTo(4096);
        assertThat(FolderUsage.pages(4097)).isEqualTo(8192);
    }

    @Test
    void whatIsGrantedCountsLikeWhatIsWritten() throws IOException {
        final Path below = Files.createDirectories(directory.resolve("a").resolve("b"));
        Files.write(below.resolve("complete.data"), new byte[5000]);
        Files.write(below.resolve("half+10000.data"), new byte[4000]);
        Files.write(directory.resolve("beyond+10.data"), new byte[5000]);
        Files.write(directory.resolve("lock"), new byte[0]);
        Files.createSymbolicLink(directory.resolve("link"), below.resolve("complete.data"));

        final FolderUsage usage = FolderUsage.of(directory);

        assertThat(usage.bytes()).isEqualTo(8192 + 12_288 + 8192);
        assertThat(usage.unwritten()).isEqualTo(6000);
        assertThat(FolderUsage.of(directory.resolve("nowhere"))).isEqualTo(FolderUsage.NONE);
    }
}
