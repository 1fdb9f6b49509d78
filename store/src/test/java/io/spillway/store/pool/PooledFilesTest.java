// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which file is taken from the pool, and how much is cut off where. */
class PooledFilesTest {
    private static final long MIB = 1 << 20;

    @TempDir private Path directory;
    private Path pool;
    private PooledFiles files;

    @BeforeEach
    void create() throws IOException {
        pool = Files.createDirectory(directory.resolve("pool"));
        files = new PooledFiles(pool);
    }

    private void fill(final long... mebibytes) throws IOException {
        for (int i = 0; i < mebibytes.length; i++) {
            makeFile(pool.resolve("file" + i), mebibytes[i] * MIB);
        }
    }

    private static Path makeFile(final Path path, final long length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(length);
        }
        return path;
    }

    /** The shortest first, in MiB. */
    private List<Long> left() throws IOException {
        final List<Long> lengths = new ArrayList<>();
        try (Stream<Path> all = Files.list(pool)) {
            for (final Path file : all.toList()) {
                assertThat(Files.size(file) % MIB).isZero();
                lengths.add(Files.size(file) / MIB);
            }
        }
        lengths.sort(null);
        return lengths;
    }

    /** The length of the file taken, in MiB; 0 when there was none. */
    private long take(final long mebibytes, final boolean cut) throws IOException {
        final Path target = directory.resolve("target");
        if (files.take(mebibytes * MIB, cut, target).isEmpty()) {
            return 0;
        }
        final long length = Files.size(target);
        Files.delete(target);
        return length / MIB;
    }

    @Test
    void takesTheFileThatFitsBest() throws IOException {
        fill(2, 16, 5, 1, 8, 9);
        assertThat(take(4, false)).isEqualTo(5);
        assertThat(take(4, false)).isEqualTo(8);
        assertThat(take(4, false)).isEqualTo(2);
        assertThat(take(4, false)).isEqualTo(1);
        assertThat(take(4, false)).isZero();
        assertThat(left()).containsExactly(9L, 16L);
    }

    @Test
    void cutsTheShortestOfTheLongOnesWhereItMay() throws IOException {
        fill(16, 9, 32);
        assertThat(take(4, true)).isEqualTo(4);
        assertThat(left()).containsExactly(16L, 32L);
    }

    @Test
    void doesNotCutAFileOfUpToTwiceTheLength() throws IOException {
        fill(8);
        assertThat(take(4, true)).isEqualTo(8);
    }

    @Test
    void freesNoMoreThanItIsAskedFor() throws IOException {
        fill(4, 3, 4);
        assertThat(files.free(6 * MIB)).isEqualTo(6 * MIB);
        assertThat(left()).containsExactly(2L, 3L);
        assertThat(files.free(MIB)).isEqualTo(MIB);
        assertThat(left()).containsExactly(2L, 2L);
        assertThat(files.free(9 * MIB)).isEqualTo(4 * MIB);
        assertThat(left()).isEmpty();
    }

    @Test
    void deletesWhatIsTooShortToBeOfUse() throws IOException {
        files.put(makeFile(directory.resolve("short"), (64 << 10) - 1));
        assertThat(directory.resolve("short")).doesNotExist();
        assertThat(left()).isEmpty();
        files.put(makeFile(directory.resolve("long"), MIB));
        assertThat(left()).containsExactly(1L);
    }

    /** Several tasks take at a time: only that is no failure. */
    @Test
    void tellsAFileThatSomeoneElseTookFromADirectoryThatIsGone() throws IOException {
        final Path missing = directory.resolve("missing");
        final Path here = makeFile(directory.resolve("here"), 1);
        final Path nowhere = missing.resolve("target");
        assertThat(PooledFiles.move(missing, directory.resolve("target"))).isFalse();
        assertThatThrownBy(() -> PooledFiles.move(missing, nowhere))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("its directory is gone");
        assertThatThrownBy(() -> PooledFiles.move(here, nowhere))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("its directory is gone");
        assertThat(PooledFiles.move(here, directory.resolve("target"))).isTrue();
        assertThat(directory.resolve("target")).exists();
    }
}
