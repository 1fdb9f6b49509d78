// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.store.FreeSpace;
import io.spillway.store.SpillFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an attempt leaves in a folder when it ends in one way or another. */
class FileLeaseTest {
    private static final String APP = "application_1_1";
    private static final int MIB = 1 << 20;

    @TempDir private Path directory;

    private Path root;
    private Path attempt;
    private FilePool folder;
    private FileLease lease;

    @BeforeEach
    void create() throws IOException {
        root = directory.resolve("of-user").resolve("node");
        attempt = root.resolve("apps").resolve(APP).resolve("attempt_1");
        folder = FilePool.create(root, 256L * MIB, Duration.ZERO);
        lease = folder.lease(APP, "attempt_1", new FreeSpace(directory, 0));
    }

    @AfterEach
    void release() {
        lease.close();
        folder.release();
    }

    private SpillFile file(final String name, final int length) throws IOException {
        final SpillFile file = lease.open(name, length);
        file.data().write(new byte[length]);
        return file;
    }

    private static List<String> names(final Path of) throws IOException {
        try (Stream<Path> entries = Files.list(of)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void anAttemptThatEndsLeavesNothingButPooledFiles() throws IOException {
        final SpillFile one = file("one", MIB);
        file("two", MIB);
        assertThat(FileLease.isHeld(attempt)).isTrue();
        assertThat(FileLease.isDead(attempt)).isFalse();

        lease.close();

        assertThat(attempt).doesNotExist();
        assertThat(names(root.resolve("pool"))).hasSize(2);
        assertThat(one.data().getFD().valid()).isFalse();
        // The lock is free: the attempt's name may be taken again.
        lease = folder.lease(APP, "attempt_1", new FreeSpace(directory, 0));
    }

    @Test
    void aCommittedAttemptKeepsTheFilesThatAreOpen() throws IOException {
        final SpillFile output = file("output", MIB);
        file("spill", MIB).close();
        output.complete(MIB);
        lease.commit();
        assertThat(output.data().getFD().valid()).isFalse();
        output.close();
        lease.close();

        assertThat(names(attempt)).containsExactly("committed", "lock", "output.data");
        assertThat(names(root.resolve("pool"))).hasSize(1);
        assertThat(FileLease.isHeld(attempt)).isFalse();
        assertThat(FileLease.isDead(attempt)).isFalse();
    }

    @Test
    void aFileIsGivenBackOnce() throws IOException {
        final SpillFile file = file("one", MIB);
        file.close();
        final List<String> pooled = names(root.resolve("pool"));
        file.close();
        lease.close();

        assertThat(pooled).hasSize(1);
        assertThat(names(root.resolve("pool"))).isEqualTo(pooled);
    }

    @Test
    void roomIsAskedForOnlyBeyondWhatIsGranted() throws IOException {
        final SpillFile file = file("one", MIB);
        final Path path = file.path().orElseThrow();
        file.reserve(MIB);
        assertThat(file.path()).contains(path);

        file.reserve(MIB + 1);

        final Path grown = file.path().orElseThrow();
        assertThat(LeasedName.granted(grown)).isGreaterThan(MIB);
        file.reserve(LeasedName.granted(grown));
        assertThat(file.path()).contains(grown);
        assertThat(path).doesNotExist();
        assertThat(grown).exists();
    }

    /** A pooled file has room for all that it holds, whatever was expected. */
    @Test
    void aPooledFileMayBeFilled() throws IOException {
        file("one", 3 * MIB).close();
        final SpillFile again = lease.open("two", 2L * MIB);
        final Path path = again.path().orElseThrow();
        again.reserve(again.data().length());
        assertThat(again.path()).contains(path);
    }

    @Test
    void anAttemptThatHasNoFolderAnyMoreIsNotHeldAndDead() throws IOException {
        final Path gone = attempt.resolveSibling("attempt_9");
        assertThat(FileLease.isHeld(gone)).isFalse();
        assertThat(FileLease.isDead(gone)).isTrue();
    }

    /** Someone else has withdrawn it: what is in its place is not the task's. */
    @Test
    void aFileThatIsGoneIsNotGivenBack() throws IOException {
        final SpillFile file = file("one", MIB);
        folder.reclaim(APP);
        file.close();
        assertThat(names(root.resolve("pool"))).isEmpty();
        assertThatThrownBy(() -> lease.open("two", MIB)).isInstanceOf(IOException.class);
    }
}
