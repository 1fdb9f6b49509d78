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
                "lustre", new UnnamedFiles(directory, new Room(directory, 0)));
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
                FileSpillStore.ofFiles("lustre", new UnnamedFiles(missing, new Room(missing, 0)))) {
            assertThatThrownBy(() -> store.create("spill0", 10))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(missing.toString());
        }
    }
}
