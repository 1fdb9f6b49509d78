// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The account in the text of a folder's lock file, and texts that are ignored. */
class FolderAccountTest {
    private static final long PAGE = 4096;
    private static final long MUCH = 1L << 50;

    @TempDir private Path directory;
    private Path root;
    private Path lockFile;

    @BeforeEach
    void makeFiles() throws IOException {
        root = Files.createDirectories(directory.resolve("node"));
        lockFile = directory.resolve("lock");
        setLength(root.resolve("a.data"), 3 * PAGE);
        setLength(root.resolve(LeasedName.writing("b", 5 * PAGE)), PAGE);
    }

    private static void setLength(final Path path, final long length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(length);
        }
    }

    @FunctionalInterface
    private interface Use {
        void of(FolderAccount account) throws IOException;
    }

    /** Takes the lock and reads the account, as each process does. */
    private void with(final Use use) throws IOException {
        try (PathLock lock = PathLock.take(lockFile, Duration.ofSeconds(5))) {
            use.of(FolderAccount.of(lock, root));
        }
    }

    private void requireBound(final long bytes, final long granted) throws IOException {
        with(
                account -> {
                    assertThat(account.surelyFits(0, bytes, 0, granted)).isTrue();
                    assertThat(account.surelyFits(0, bytes - 1, 0, granted)).isFalse();
                    assertThat(account.surelyFits(0, bytes, 0, granted - 1)).isFalse();
                    assertThat(account.surelyFits(1, bytes + PAGE - 1, 0, granted)).isFalse();
                    assertThat(account.surelyFits(1, bytes + PAGE, 7, granted + 7)).isTrue();
                });
    }

    private void requireNone() throws IOException {
        with(account -> assertThat(account.surelyFits(0, MUCH, 0, MUCH)).isFalse());
    }

    @Test
    void isUnknownUntilTheFilesAreCounted() throws IOException {
        requireNone();
        with(account -> account.add(PAGE, PAGE));
        requireNone();
        with(account -> assertThat(account.count().unwritten()).isEqualTo(4 * PAGE));
        requireBound(8 * PAGE, 5 * PAGE);
    }

    @Test
    void passesWhatIsAddedOnToTheNextHolder() throws IOException {
        with(FolderAccount::count);
        with(account -> account.add(6 * PAGE, 2 * PAGE));
        requireBound(14 * PAGE, 7 * PAGE);
        with(account -> account.add(-4 * PAGE, -7 * PAGE));
        requireBound(10 * PAGE, 0);
    }

    @Test
    void countsOnceWhereNothingChanges() throws IOException {
        with(
                account -> {
                    final FolderUsage usage = account.count();
                    assertThat(account.count()).isSameAs(usage);
                    account.add(PAGE, 0);
                    assertThat(account.count()).isNotSameAs(usage).isEqualTo(usage);
                });
    }

    /** A killed process may leave a part of its text, or the end of a longer one behind it. */
    @ParameterizedTest
    @ValueSource(ints = {-12, -3, -1, 1, 8})
    void doesNotBelieveATextOfAnotherLength(final int more) throws IOException {
        with(FolderAccount::count);
        final String text = Files.readString(lockFile);
        Files.writeString(
                lockFile,
                more < 0 ? text.substring(0, text.length() + more) : text + "7".repeat(more));
        requireNone();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "  ", "a b c", "1 2 3", "1 2", "1 2 3 4", "-1 -1 -1"})
    void doesNotBelieveOtherTexts(final String text) throws IOException {
        Files.writeString(lockFile, text, StandardOpenOption.CREATE);
        requireNone();
        with(FolderAccount::count);
        requireBound(8 * PAGE, 5 * PAGE);
    }
}
