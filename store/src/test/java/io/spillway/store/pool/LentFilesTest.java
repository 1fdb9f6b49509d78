// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.store.FreeSpace;
import io.spillway.store.SpillFile;
import io.spillway.store.StoreFullException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a node of which tasks of other users have descriptors. */
class LentFilesTest {
    private static final String APP = "application_1_1";
    private static final String ATTEMPT = "attempt_1";
    private static final int MIB = 1 << 20;
    private static final long LIMIT = 16L * MIB;

    @TempDir private Path directory;

    private Path root;
    private FilePool folder;
    private LentFiles files;

    @BeforeEach
    void create() throws IOException {
        root = directory.resolve("of-user").resolve("node");
        folder = FilePool.create(root, LIMIT, Duration.ZERO);
        files = folder.lend(APP, ATTEMPT, new FreeSpace(directory, 0));
    }

    @AfterEach
    void release() {
        files.close();
        folder.release();
    }

    /** Writes to a file, as its task does by the descriptor. */
    private static void write(final Path file, final int length) throws IOException {
        try (RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw")) {
            data.write(new byte[length]);
        }
    }

    private static String modeOf(final Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private List<Path> pooled() throws IOException {
        try (Stream<Path> entries = Files.list(root.resolve("pool"))) {
            return entries.toList();
        }
    }

    @Test
    void aPooledFileIsNotLentAndALentOneIsNotPooled() throws IOException {
        try (FileLease own = folder.lease(APP, "own", new FreeSpace(directory, 0))) {
            final SpillFile used = own.open("a", MIB);
            used.data().write(new byte[MIB]);
        }
        assertThat(pooled()).hasSize(1);

        final Path lent = files.open("a", MIB);
        assertThat(Files.size(lent)).isZero();
        assertThat(pooled()).hasSize(1);
        write(lent, MIB);
        files.delete("a");
        assertThat(lent).doesNotExist();
        assertThat(pooled()).hasSize(1);

        write(files.open("b", MIB), MIB);
        files.close();
        assertThat(pooled()).hasSize(1);
        assertThat(folder.applications()).containsOnly(APP);
    }

    @Test
    void onlyItsOwnerCanOpenAFileOnceItsTaskHasIt() throws IOException {
        final Path file = files.open("a", 10);
        assertThat(modeOf(file)).isEqualTo("rw-rw-rw-");
        files.shut("a");
        assertThat(modeOf(file)).isEqualTo("rw-------");
        for (Path above = file.getParent(); !above.equals(directory); above = above.getParent()) {
            assertThat(modeOf(above)).as(above.toString()).isEqualTo("rwx------");
        }
    }

    @Test
    void whatIsGrantedCountsAndNotWhatIsThere() throws IOException {
        final Path file = files.open("a", MIB);
        assertThat(folder.usedBytes()).isEqualTo(MIB);
        write(file, 4 * MIB);
        assertThat(folder.usedBytes()).isEqualTo(MIB);
        assertThatThrownBy(() -> files.complete("a", 4 * MIB))
                .hasMessageContaining("and the 1048576 of its grant");

        assertThat(files.grow("a", 4 * MIB)).isGreaterThanOrEqualTo(4 * MIB);
        final Path complete = files.complete("a", 3 * MIB + 1);
        assertThat(Files.size(complete)).isEqualTo(3 * MIB + 4096);
        assertThat(folder.usedBytes()).isEqualTo(3 * MIB + 4096);
        assertThat(files.bytes()).isEqualTo(3 * MIB + 4096);
        assertThat(folder.lentBytes(APP)).isEqualTo(3 * MIB + 4096);
        assertThatThrownBy(() -> files.grow("a", 5 * MIB))
                .hasMessageContaining("expected one that is being written");
    }

    @Test
    void theTierTakesNoMoreThanItsLimit() throws IOException {
        files.open("a", LIMIT - MIB);
        assertThatThrownBy(() -> files.open("b", 2 * MIB)).isInstanceOf(StoreFullException.class);
        files.open("b", MIB / 2);
        assertThatThrownBy(() -> files.grow("b", 2 * MIB)).isInstanceOf(StoreFullException.class);
        files.delete("a");
        assertThat(files.grow("b", 2 * MIB)).isGreaterThanOrEqualTo(2 * MIB);
    }

    @Test
    void aCommittedAttemptKeepsItsFilesUntilTheJobEnds() throws IOException {
        final Path output = files.open("file.out", MIB);
        write(output, MIB);
        final Path complete = files.complete("file.out", MIB);
        files.commit();
        assertThatThrownBy(() -> files.open("more", 1)).isInstanceOf(IOException.class);
        files.close();
        folder.reclaimDead();
        assertThat(complete).exists();

        folder.reclaim(APP);
        assertThat(complete).doesNotExist();
        assertThat(pooled()).isEmpty();
        assertThat(folder.usedBytes()).isZero();
    }

    @Test
    void aFileThatIsLongerThanItMayBeIsDeleted() throws IOException {
        final Path kept = files.open("kept", MIB);
        write(kept, MIB);
        final Path complete = files.complete("kept", MIB);
        final Path overdrawn = files.open("overdrawn", MIB);
        write(overdrawn, MIB + 4097);
        folder.reclaimDead();
        assertThat(overdrawn).doesNotExist();
        assertThat(complete).exists();

        write(complete, MIB + 4097);
        folder.reclaimDead();
        assertThat(complete).doesNotExist();
    }

    @Test
    void namesLeadNowhereElse() {
        for (final String name : List.of("", ".", "..", "a/b", "/a", "a+1", "a=1", ".a", "a\0b")) {
            assertThatThrownBy(() -> files.open(name, 1))
                    .as(name)
                    .hasMessageContaining("expected a new name");
        }
        assertThatThrownBy(() -> files.delete("lock")).isInstanceOf(IOException.class);
    }

    @Test
    void anAttemptHasOneHolderAtATime() {
        assertThatThrownBy(() -> folder.lend(APP, ATTEMPT, new FreeSpace(directory, 0)))
                .hasMessageContaining("in use");
    }

    @Test
    void aPathIsOfAnAttempt() throws IOException {
        final Path file = files.open("a", 1);
        assertThat(FilePool.isOfAttempt(root, file, ATTEMPT)).isTrue();
        assertThat(FilePool.isOfAttempt(root, file, "attempt_2")).isFalse();
        assertThat(FilePool.isOfAttempt(root, file.getParent(), ATTEMPT)).isFalse();
        assertThat(FilePool.isOfAttempt(root, root.resolve("pool/a"), ATTEMPT)).isFalse();
        assertThat(FilePool.isOfAttempt(directory, file, ATTEMPT)).isFalse();
    }
}
