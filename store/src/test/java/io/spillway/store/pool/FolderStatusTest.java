// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.store.FreeSpace;
import io.spillway.store.SpillFile;
import io.spillway.store.StoreFullException;
import io.spillway.store.pool.FolderStatus.Overflow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderStatusTest {
    private static final long PAGE = 4096;
    private static final long LIMIT = 8 << 20;

    /** Long enough to be kept for use again. */
    private static final long OUTPUT = 1 << 20;

    private static final long PLENTY = Long.MAX_VALUE / 2;
    private static final String APP = "application_1_0001";

    @TempDir private Path directory;
    private Path root;

    @BeforeEach
    void place() {
        root = directory.resolve("of-user").resolve("node");
    }

    private FilePool create(final Duration keep) throws IOException {
        return FilePool.create(root, LIMIT, keep);
    }

    private FileLease task(final FilePool folder, final String attempt, final long memory)
            throws IOException {
        return folder.lease(APP, attempt, new FreeSpace(directory, 0, () -> memory));
    }

    @Test
    void tellsWhatTasksHaveApartFromWhatIsKeptForUseAgain() throws IOException {
        final FilePool folder = create(Duration.ZERO);
        assertThat(folder.status()).isEqualTo(new FolderStatus(0, 0, 0, 0, counts(0, 0)));
        try (FileLease task = task(folder, "attempt_1", PLENTY)) {
            task.open("spill0", 3 * PAGE);
            final SpillFile second = task.open("spill1", OUTPUT);
            assertThat(folder.status())
                    .isEqualTo(
                            new FolderStatus(
                                    3 * PAGE + OUTPUT, 3 * PAGE + OUTPUT, 2, 1, counts(0, 0)));
            second.data().write(new byte[(int) OUTPUT]);
            second.complete(OUTPUT);
            second.close();
            assertThat(folder.status())
                    .isEqualTo(new FolderStatus(3 * PAGE + OUTPUT, 3 * PAGE, 1, 1, counts(0, 0)));
        }
        assertThat(folder.status().leases()).isZero();
        folder.release();
    }

    private static Map<Overflow, Long> counts(final long limit, final long reserve) {
        return Map.of(Overflow.LIMIT, limit, Overflow.RESERVE, reserve);
    }

    @Test
    void countsOverflowsByCauseAndTheyTakeNoRoom() throws IOException {
        final FilePool folder = create(Duration.ZERO);
        try (FileLease task = task(folder, "attempt_1", PLENTY)) {
            for (int i = 0; i < 11; i++) {
                assertThatThrownBy(() -> task.open("large", LIMIT + 1))
                        .isInstanceOf(StoreFullException.class);
            }
            final long left = LIMIT - 2 * PAGE; // without the owner's file and the account
            final SpillFile all = task.open("all", left);
            assertThatThrownBy(() -> all.reserve(left + 1)).isInstanceOf(StoreFullException.class);
            assertThat(folder.status().usedBytes()).isEqualTo(left);
        }
        assertThat(folder.status().overflows()).isEqualTo(counts(12, 0));
        folder.release();
        assertThat(root).doesNotExist();
    }

    @Test
    void aHostWithoutMemoryIsAnotherCauseThanTheLimit() throws IOException {
        final FilePool folder = create(Duration.ZERO);
        final FreeSpace none = new FreeSpace(directory, Long.MAX_VALUE / 2);
        try (FileLease task = folder.lease(APP, "attempt_1", none)) {
            assertThatThrownBy(() -> task.open("spill0", PAGE))
                    .isInstanceOf(StoreFullException.class);
            assertThatThrownBy(() -> task.open("spill0", LIMIT + 1))
                    .isInstanceOf(StoreFullException.class);
        }
        assertThat(folder.status().overflows()).isEqualTo(counts(1, 1));
        folder.release();
    }

    /** As long as its files: a NodeManager that comes back goes on counting. */
    @Test
    void countsOutliveTheOwnerWithTheFolder() throws IOException {
        final FilePool before = create(Duration.ofHours(1));
        try (FileLease task = task(before, "attempt_1", PLENTY)) {
            task.open("spill0", PAGE);
            assertThatThrownBy(() -> task.open("large", LIMIT + 1))
                    .isInstanceOf(StoreFullException.class);
            task.commit();
        }
        before.release();
        final FilePool after = create(Duration.ZERO);
        assertThat(after.status().overflows()).isEqualTo(counts(1, 0));
        assertThat(after.status().leases()).isOne();
        after.release();
        assertThat(root).doesNotExist();
    }
}
