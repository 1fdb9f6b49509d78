// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnnamedFilesTest extends SpillStoreConformance {
    @TempDir private Path directory;

    @Override
    protected SpillStore newStore() {
        return FileSpillStore.ofFiles(
                "lustre", new UnnamedFiles(directory, new FreeSpace(directory, 0)));
    }

    @Test
    void leavesNoFileThatSomebodyWouldHaveToDelete() throws IOException {
        try (SpillStore store = newStore();
                SpillSink sink = store.create("spill0", 10)) {
            sink.write(new byte[10], 0, 10);
            try (Stream<Path> files = Files.list(directory)) {
                assertThat(files).isEmpty();
            }
        }
    }

    @Test
    void namesTheDirectoryThatIsMissing() {
        final Path missing = directory.resolve("missing");
        try (SpillStore store =
                FileSpillStore.ofFiles(
                        "lustre", new UnnamedFiles(missing, new FreeSpace(missing, 0)))) {
            assertThatThrownBy(() -> store.create("spill0", 10))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(missing.toString());
        }
    }

    @Test
    void closesWhatIsOpen() throws IOException {
        final UnnamedFiles files = new UnnamedFiles(directory, new FreeSpace(directory, 0));
        final SpillFile one = files.open("one", 0);
        final SpillFile two = files.open("two", 0);
        one.close();
        assertThat(one.data().getFD().valid()).isFalse();
        assertThat(two.data().getFD().valid()).isTrue();
        assertThat(two.path()).isEmpty();

        files.close();

        assertThat(two.data().getFD().valid()).isFalse();
        one.close();
    }

    @Test
    void isFullBeforeItMakesAFile() throws IOException {
        final UnnamedFiles files = inMemory(1000);
        assertThatThrownBy(() -> files.open("large", 1001)).isInstanceOf(StoreFullException.class);
        files.open("fits", 1000).close();
    }

    /** A committed spill keeps no more than it has. */
    @Test
    void whatIsCompleteGivesItsGrantBack() throws IOException {
        final UnnamedFiles files = inMemory(9 << 20);
        try (SpillFile file = files.open("one", 100)) {
            file.reserve(101);
            file.reserve(100 + (8 << 20));
            assertThatThrownBy(() -> file.reserve(20 << 20)).isInstanceOf(StoreFullException.class);
            file.complete(50);
            assertThatThrownBy(() -> file.reserve(51 + (9 << 20)))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("bytes=" + (1 + (9 << 20)));
        }
    }

    private static UnnamedFiles inMemory(final long free) {
        final Path memory = Path.of("/dev/shm");
        return new UnnamedFiles(memory, new FreeSpace(memory, 0, () -> free));
    }
}
