// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.version.VersionRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TierAdvertisementTest {
    private static final VersionRange VERSIONS = new VersionRange(12, 13);
    private static final long EPOCH = 1_700_000_000_123L;

    @TempDir private Path directory;

    @Test
    void readsWhatItWrote() throws IOException {
        final Path root = directory.resolve("user").resolve("node");
        FilePool.create(root, 5, Duration.ZERO);
        final TierAdvertisement stores =
                TierAdvertisement.of(
                                Map.of("memory", new TierAdvertisement.Offer(root, 5)), VERSIONS)
                        .withEpoch(EPOCH);
        stores.writeTo(directory);

        final TierAdvertisement read = TierAdvertisement.readFrom(directory);
        assertThat(read).isEqualTo(stores);
        assertThat(read.folder("memory").orElseThrow().root()).isEqualTo(root);
        assertThat(read.folder("memory").orElseThrow().limit()).isEqualTo(5);
        assertThat(read.folder("nvm")).isEmpty();
    }

    /** The release before wrote none. */
    @Test
    void anOfferWithoutAnEpochIsOfAnUnknownOne() throws IOException {
        final Path file = directory.resolve(TierAdvertisement.FILE);
        Files.writeString(file, "process=" + ProcessHandle.current().pid() + "\n");
        assertThat(TierAdvertisement.readFrom(directory).epoch())
                .isEqualTo(TierAdvertisement.UNKNOWN_EPOCH);
    }

    /** The release before wrote none, and spoke one version. */
    @Test
    void anOfferWithoutVersionsIsOfTheFormerRelease() throws IOException {
        final Path file = directory.resolve(TierAdvertisement.FILE);
        Files.writeString(file, "process=" + ProcessHandle.current().pid() + "\n");
        assertThat(TierAdvertisement.readFrom(directory).versions())
                .isEqualTo(VersionRange.only(12));
        Files.writeString(file, "process=" + ProcessHandle.current().pid() + "\nversions=20-21\n");
        assertThat(TierAdvertisement.readFrom(directory).versions())
                .isEqualTo(new VersionRange(20, 21));
    }

    @Test
    void namesVersionsThatAreNone() throws IOException {
        for (final String wrong : List.of("", "a", "13-12", "0-1", "12-999", "12-13-14")) {
            Files.writeString(
                    directory.resolve(TierAdvertisement.FILE),
                    "process=" + ProcessHandle.current().pid() + "\nversions=" + wrong + "\n");
            assertThatThrownBy(() -> TierAdvertisement.readFrom(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("versions=" + wrong + ", expected two numbers");
        }
    }

    @Test
    void offersNothingWhereThereIsNoFile() throws IOException {
        assertThat(TierAdvertisement.readFrom(directory)).isEqualTo(TierAdvertisement.none());
    }

    @Test
    void offersNoFolderThatIsGone() throws IOException {
        final Path gone = directory.resolve("gone");
        TierAdvertisement.of(Map.of("memory", new TierAdvertisement.Offer(gone, 5)), VERSIONS)
                .writeTo(directory);
        assertThat(TierAdvertisement.readFrom(directory).folder("memory")).isEmpty();
    }

    /** Killed, and started again with stock's handler: no node would serve what a task leaves. */
    @Test
    void offersNothingOfAProcessThatIsGone() throws Exception {
        final Process process = new ProcessBuilder("true").start();
        process.waitFor();
        final Path root = directory.resolve("user").resolve("node");
        final FilePool folder = FilePool.create(root, 5, Duration.ofMinutes(10));
        new TierAdvertisement(
                        Map.of("memory", new TierAdvertisement.Offer(root, 5)),
                        process.pid(),
                        EPOCH,
                        VERSIONS,
                        Optional.empty(),
                        Optional.empty())
                .writeTo(directory);
        assertThat(TierAdvertisement.readFrom(directory).folder("memory"))
                .as("an owner whose number is of another namespace")
                .isPresent();
        folder.release();

        assertThat(TierAdvertisement.readFrom(directory)).isEqualTo(TierAdvertisement.none());
    }

    @Test
    void namesADamagedFile() throws IOException {
        Files.writeString(directory.resolve(TierAdvertisement.FILE), "process=one\n");
        assertThatThrownBy(() -> TierAdvertisement.readFrom(directory))
                .hasMessageContaining("process=one, expected a number");
        Files.writeString(
                directory.resolve(TierAdvertisement.FILE),
                "process=" + ProcessHandle.current().pid() + "\nmemory.folder=/x\n");
        assertThatThrownBy(() -> TierAdvertisement.readFrom(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(TierAdvertisement.FILE)
                .hasMessageContaining("memory.limit=null");
    }

    @Test
    void leavesNothingBesideItsFile() throws IOException {
        TierAdvertisement.none().writeTo(directory);
        TierAdvertisement.of(Map.of(), VERSIONS).writeTo(directory);
        assertThat(directory.toFile().list()).containsExactly(TierAdvertisement.FILE);
        assertThat(TierAdvertisement.readFrom(directory).process())
                .isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void readsAllTiersOfTheFile() throws IOException {
        final TierAdvertisement stores =
                TierAdvertisement.of(
                                Map.of(
                                        "memory",
                                        new TierAdvertisement.Offer(Path.of("/a"), 5),
                                        "nvm.two",
                                        new TierAdvertisement.Offer(Path.of("/b"), 6)),
                                VERSIONS)
                        .withShared(Optional.of(Path.of("/scratch/a b")));
        stores.writeTo(directory);
        assertThat(TierAdvertisement.readFrom(directory)).isEqualTo(stores);
    }
}
