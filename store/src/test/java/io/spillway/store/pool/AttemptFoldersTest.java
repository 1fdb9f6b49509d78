// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.store.FreeSpace;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken back of attempts that live, have died, have committed, or were withdrawn. */
class AttemptFoldersTest {
    private static final String APP = "application_1_1";
    private static final int MIB = 1 << 20;

    @TempDir private Path directory;

    private Path root;
    private FilePool folder;
    private AttemptFolders attempts;

    @BeforeEach
    void create() throws IOException {
        root = directory.resolve("of-user").resolve("node");
        folder = FilePool.create(root, 256L * MIB, Duration.ZERO);
        attempts = new AttemptFolders(root.resolve("apps"), folder.space());
    }

    @AfterEach
    void release() {
        folder.release();
    }

    private FileLease lease(final String app, final String attempt, final int length)
            throws IOException {
        final FileLease lease = folder.lease(app, attempt, new FreeSpace(directory, 0));
        lease.open("file", length).data().write(new byte[length]);
        return lease;
    }

    /** What a killed task leaves: its files, and a lock that is free. */
    private Path dead(final String attempt, final Duration age) throws IOException {
        final Path left = root.resolve("apps").resolve(APP).resolve(attempt);
        Files.createDirectories(left);
        Files.createFile(left.resolve("lock"));
        Files.write(left.resolve("file+" + MIB + ".data"), new byte[MIB]);
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(age)));
        return left;
    }

    private int pooled() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("pool"))) {
            return (int) files.count();
        }
    }

    @Test
    void onlyWhatLivingTasksHaveIsHeld() throws IOException {
        dead("attempt_dead", Duration.ofHours(1));
        assertThat(attempts.heldBytes()).isZero();
        try (FileLease one = lease(APP, "attempt_1", MIB);
                FileLease two = lease("application_1_2", "attempt_2", 2 * MIB)) {
            assertThat(one).isNotSameAs(two);
            assertThat(attempts.heldBytes()).isEqualTo(3L * MIB);
        }
        assertThat(attempts.heldBytes()).isZero();
    }

    /** An attempt's folder is there for a moment before its lock is held. */
    @Test
    void aYoungAttemptIsLeftAlone() throws IOException {
        final Path young = dead("attempt_young", Duration.ofSeconds(5));
        final Path old = dead("attempt_old", Duration.ofSeconds(40));

        attempts.reclaimDead();

        assertThat(young.resolve("file+" + MIB + ".data")).exists();
        assertThat(old).doesNotExist();
        assertThat(pooled()).isOne();
    }

    /** The process that withdrew it was killed before the end. */
    @Test
    void whatWasWithdrawnBeforeIsTakenBack() throws IOException {
        final Path withdrawn = dead("ended-attempt_1", Duration.ofHours(1));

        attempts.reclaimDead();

        assertThat(withdrawn).doesNotExist();
        assertThat(withdrawn.resolveSibling("ended-ended-attempt_1")).doesNotExist();
        assertThat(pooled()).isOne();
    }

    @Test
    void aJobsFolderGoesWithItsLastAttempt() throws IOException {
        dead("attempt_1", Duration.ofHours(1));
        assertThat(attempts.applications()).containsExactly(APP);

        attempts.reclaim(APP);

        assertThat(attempts.applications()).isEmpty();
        assertThat(root.resolve("apps").resolve(APP)).doesNotExist();
        attempts.reclaim(APP);
        attempts.reclaim("application_1_9");
        assertThat(root.resolve("apps")).isEmptyDirectory();
    }

    /** The marks are small files: only data is worth a place in the pool. */
    @Test
    void marksAreDeletedAndNotPooled() throws IOException {
        final Path committed = dead("attempt_1", Duration.ofHours(1));
        Files.createFile(committed.resolve("committed"));
        attempts.reclaimDead();
        assertThat(committed).as("kept until its job ends").exists();

        attempts.reclaim(APP);

        assertThat(committed).doesNotExist();
        assertThat(pooled()).isOne();
    }

    @Test
    void allIsDeletedButWhatLivingTasksHold() throws IOException {
        dead("attempt_dead", Duration.ZERO);
        Files.createDirectory(root.resolve("apps").resolve("application_1_3"));
        try (FileLease living = lease("application_1_2", "attempt_2", MIB)) {
            attempts.deleteAll();

            assertThat(living).isNotNull();
            assertThat(attempts.applications()).containsExactly("application_1_2");
            assertThat(attempts.heldBytes()).isEqualTo(MIB);
            assertThat(pooled()).as("of the dead").isZero();
        }
    }

    @Test
    void anotherKindOfEntryIsNoApplication() throws IOException {
        final Path apps = root.resolve("apps");
        Files.createFile(apps.resolve("application_1_7"));
        Files.createDirectory(apps.resolve("lost+found"));
        final Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.createSymbolicLink(apps.resolve("application_1_8"), elsewhere);
        dead("attempt_1", Duration.ofHours(1));

        assertThat(attempts.applications()).isEqualTo(List.of(APP));
    }

    @Test
    void aDirectoryWithSomethingInItStays() throws IOException {
        final Path full = Files.createDirectory(directory.resolve("full"));
        Files.createFile(full.resolve("file"));
        assertThat(AttemptFolders.deleteIfEmpty(full)).isFalse();
        assertThat(full).exists();
        Files.delete(full.resolve("file"));
        assertThat(AttemptFolders.deleteIfEmpty(full)).isTrue();
        assertThat(full).doesNotExist();
        assertThat(AttemptFolders.deleteIfEmpty(full)).isTrue();
    }

    /** Else a node could open a file after it was looked at who has it open. */
    @Test
    void nothingOfAnAttemptCanBeOpenedWhileItIsTakenBack() throws IOException {
        final Path ended = dead("attempt_1", Duration.ofHours(1));
        final Path strange = Files.createDirectory(ended.resolve("a"));
        Files.createFile(strange.resolve("b"));

        // It comes first, and ends the taking back.
        assertThatThrownBy(() -> attempts.reclaim(APP))
                .isInstanceOf(DirectoryNotEmptyException.class);

        assertThat(ended).doesNotExist();
        assertThat(ended.resolveSibling("ended-attempt_1").resolve("file+" + MIB + ".data"))
                .exists();
    }
}
