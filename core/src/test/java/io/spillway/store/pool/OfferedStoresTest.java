package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OfferedStoresTest {
    @TempDir private Path directory;

    @Test
    void readsWhatItWrote() throws IOException {
        final Path root = directory.resolve("user").resolve("node");
        RecycledFolder.create(root, 5, Duration.ZERO);
        final OfferedStores stores =
                OfferedStores.of(Map.of("memory", new OfferedStores.Offer(root, 5)));
        stores.writeTo(directory);

        final OfferedStores read = OfferedStores.readFrom(directory);
        assertThat(read).isEqualTo(stores);
        assertThat(read.folder("memory").orElseThrow().root()).isEqualTo(root);
        assertThat(read.folder("memory").orElseThrow().limit()).isEqualTo(5);
        assertThat(read.folder("nvm")).isEmpty();
    }

    @Test
    void offersNothingWhereThereIsNoFile() throws IOException {
        assertThat(OfferedStores.readFrom(directory)).isEqualTo(OfferedStores.none());
    }

    @Test
    void offersNoFolderThatIsGone() throws IOException {
        final Path gone = directory.resolve("gone");
        OfferedStores.of(Map.of("memory", new OfferedStores.Offer(gone, 5))).writeTo(directory);
        assertThat(OfferedStores.readFrom(directory).folder("memory")).isEmpty();
    }

    /** Killed, and started again with stock's handler: no node would serve what a task leaves. */
    @Test
    void offersNothingOfAProcessThatIsGone() throws Exception {
        final Process process = new ProcessBuilder("true").start();
        process.waitFor();
        final Path root = directory.resolve("user").resolve("node");
        RecycledFolder.create(root, 5, Duration.ZERO);
        new OfferedStores(Map.of("memory", new OfferedStores.Offer(root, 5)), process.pid())
                .writeTo(directory);

        assertThat(OfferedStores.readFrom(directory)).isEqualTo(OfferedStores.none());
    }

    @Test
    void namesADamagedFile() throws IOException {
        Files.writeString(directory.resolve(OfferedStores.FILE), "process=one\n");
        assertThatThrownBy(() -> OfferedStores.readFrom(directory))
                .hasMessageContaining("process=one, expected a number");
        Files.writeString(
                directory.resolve(OfferedStores.FILE),
                "process=" + ProcessHandle.current().pid() + "\nmemory.folder=/x\n");
        assertThatThrownBy(() -> OfferedStores.readFrom(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(OfferedStores.FILE)
                .hasMessageContaining("memory.limit=null");
    }

    @Test
    void leavesNothingBesideItsFile() throws IOException {
        OfferedStores.none().writeTo(directory);
        OfferedStores.of(Map.of()).writeTo(directory);
        assertThat(directory.toFile().list()).containsExactly(OfferedStores.FILE);
        assertThat(OfferedStores.readFrom(directory).process())
                .isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void readsAllTiersOfTheFile() throws IOException {
        final OfferedStores stores =
                OfferedStores.of(
                        Map.of(
                                "memory",
                                new OfferedStores.Offer(Path.of("/a"), 5),
                                "nvm.two",
                                new OfferedStores.Offer(Path.of("/b"), 6)));
        stores.writeTo(directory);
        assertThat(OfferedStores.readFrom(directory)).isEqualTo(stores);
    }
}
