// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskSpillStoreTest {
    @TempDir private Path folder;
    private DiskSpillStore store;

    @BeforeEach
    void open() throws IOException {
        final FileSystem raw = FileSystem.getLocal(new Configuration(false)).getRaw();
        store =
                new DiskSpillStore(
                        raw,
                        (number, bytes) ->
                                new org.apache.hadoop.fs.Path(
                                        folder.resolve("spill" + number).toString()));
    }

    @Test
    void aCommittedSpillIsAFileOfItsBytes() throws IOException {
        final SpillSink sink = store.create("a", 3);
        sink.write(new byte[] {1, 2, 3}, 0, 3);
        sink.write(4);
        final Spill spill = sink.commit();

        assertThat(spill.length()).isEqualTo(4);
        assertThat(Files.readAllBytes(spill.file().orElseThrow())).containsExactly(1, 2, 3, 4);
        try (InputStream in = spill.open(1, 2)) {
            assertThat(in.readAllBytes()).containsExactly(2, 3);
        }
    }

    @Test
    void bytesAreReadBackBeforeTheCommit() throws IOException {
        final SpillSink sink = store.create("a", 3);
        sink.write(new byte[] {1, 2, 3}, 0, 3);

        try (InputStream in = sink.readBack()) {
            assertThat(in.readAllBytes()).containsExactly(1, 2, 3);
        }
        sink.abort();
    }

    @Test
    void anAbortedSpillLeavesNoFile() throws IOException {
        final SpillSink sink = store.create("a", 3);
        sink.write(1);
        sink.abort();

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aDeletedSpillLeavesNoFile() throws IOException {
        final Spill spill = store.create("a", 0).commit();
        spill.delete();
        spill.delete();

        assertThat(folder).isEmptyDirectory();
        assertThat(spill.file()).isEmpty();
    }

    @Test
    void aRangeOutsideTheSpillIsRefused() throws IOException {
        final Spill spill = store.create("a", 0).commit();

        assertThatThrownBy(() -> spill.open(0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
