// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the store asks of its files, and what its streams give at their edges. */
class FileSpillStoreTest {
    @TempDir private Path directory;

    /** One real file, and what was asked of it. */
    private final class Recording implements SpillFiles {
        private final List<String> asked = new ArrayList<>();
        private RandomAccessFile data;

        @Override
        public SpillFile open(final String name, final long expectedBytes) throws IOException {
            asked.add("open " + name + " " + expectedBytes);
            data = new RandomAccessFile(directory.resolve(name).toFile(), "rw");
            return new SpillFile() {
                @Override
                public RandomAccessFile data() {
                    return data;
                }

                @Override
                public void reserve(final long length) {
                    asked.add("reserve " + length);
                }

                @Override
                public void complete(final long length) {
                    asked.add("complete " + length);
                }

                @Override
                public Optional<Path> path() {
                    return Optional.of(directory.resolve(name));
                }

                @Override
                public void close() {
                    asked.add("close");
                    try {
                        data.close();
                    } catch (final IOException e) {
                        throw new AssertionError(e);
                    }
                }
            };
        }

        @Override
        public void close() {
            asked.add("end");
        }
    }

    private final Recording files = new Recording();
    private final FileSpillStore store = FileSpillStore.ofFiles("memory", files);

    private Spill spill(final int length) throws IOException {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 100);
        }
        final SpillSink sink = store.create("spill", length);
        sink.write(bytes, 0, length);
        return sink.commit();
    }

    @Test
    void asksForRoomBeforeItWritesAndSaysWhatItNeeds() throws IOException {
        final SpillSink sink = store.create("spill", 7);
        sink.write(new byte[5], 0, 5);
        sink.write(new byte[5], 1, 3);
        sink.commit();
        store.close();

        assertThat(files.asked)
                .containsExactly("open spill 7", "reserve 5", "reserve 8", "complete 8", "end");
    }

    @Test
    void anAbortedSpillGivesItsFileUpOnce() throws IOException {
        final SpillSink sink = store.create("spill", 7);
        sink.abort();
        sink.abort();

        assertThat(files.asked).containsExactly("open spill 7", "close");
        assertThatThrownBy(() -> sink.write(new byte[1], 0, 1)).hasMessage("spill=spill has ended");
    }

    @Test
    void aDeletedSpillGivesItsFileUp() throws IOException {
        final Spill spill = spill(3);
        spill.delete();

        assertThat(files.asked).endsWith("complete 3", "close");
        assertThatThrownBy(() -> spill.open(0, 1))
                .hasMessage("Spill spill was deleted from store memory");
    }

    @Test
    void aRangeThatIsNotInTheArrayChangesNothing() throws IOException {
        final SpillSink sink = store.create("spill", 7);
        assertThatThrownBy(() -> sink.write(new byte[5], 1, 5))
                .isInstanceOf(IndexOutOfBoundsException.class);

        assertThat(files.asked).containsExactly("open spill 7");
        assertThat(sink.position()).isZero();
        assertThat(files.data.length()).isZero();
    }

    @Test
    void aFileThatWasCutShortIsNotCommitted() throws IOException {
        final SpillSink sink = store.create("spill", 7);
        sink.write(new byte[7], 0, 7);
        files.data.setLength(6);

        assertThatThrownBy(sink::commit).hasMessageContaining("length=6, expected at least 7");

        assertThat(files.asked).doesNotContain("complete 7");
        sink.abort();
        assertThat(files.asked).endsWith("close");
    }

    /** A pooled file is longer than what is written into it. */
    @Test
    void aLongerFileIsCommitted() throws IOException {
        final SpillSink sink = store.create("spill", 7);
        sink.write(new byte[7], 0, 7);
        files.data.seek(7);
        files.data.write(new byte[100]);

        final Spill spill = sink.commit();
        assertThat(spill.length()).isEqualTo(7);
        assertThat(spill.holder()).contains(directory.resolve("spill"));
    }

    @Test
    void itsStreamsEndWhereTheirRangeDoes() throws IOException {
        final Spill spill = spill(200);
        try (InputStream in = spill.open(90, 100)) {
            assertThat(in.available()).isEqualTo(100);
            assertThat(in.read()).isEqualTo(190);
            assertThat(in.skip(-5)).isZero();
            assertThat(in.skip(88)).isEqualTo(88);
            assertThat(in.available()).isEqualTo(11);
            assertThat(in.read()).isEqualTo((190 + 89) & 0xFF);
            final byte[] buffer = new byte[20];
            assertThat(in.read(buffer, 3, 0)).isZero();
            assertThat(in.read(buffer, 3, 17)).isEqualTo(10);
            assertThat(buffer[2]).isZero();
            assertThat(buffer[3]).isEqualTo((byte) (190 + 90));
            assertThat(buffer[13]).isZero();
            assertThat(in.read()).isEqualTo(-1);
            assertThat(in.read(buffer, 0, 20)).isEqualTo(-1);
            assertThat(in.skip(1)).isZero();
            assertThatThrownBy(() -> in.read(buffer, 10, 11))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void whatIsReadBackIsWhatWasWrittenSoFar() throws IOException {
        final SpillSink sink = store.create("spill", 7);
        sink.write(new byte[] {1, 2, 3}, 0, 3);
        try (InputStream in = sink.readBack()) {
            assertThat(in.available()).isEqualTo(3);
            assertThat(in.readAllBytes()).containsExactly(1, 2, 3);
        }
    }

    /** Else an ext4 or tmpfs folder would be taken for a DAX mount, or the probe would stay. */
    @Test
    void aFolderThatIsNotThereOrNotDaxIsNotMappedWithSync() {
        final Path missing = directory.resolve("missing");
        assertThat(FileSpillStore.canSync(new UnnamedFiles(missing, new FreeSpace(missing, 0))))
                .isFalse();
        assertThat(FileSpillStore.canSync(files)).isFalse();
        assertThat(files.asked).containsExactly("open probe 0", "close");
    }
}
